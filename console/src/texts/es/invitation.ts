import type en from '../en/invitation.ts'
import type { Same } from '../types.ts'

export default {
  title: 'Tienes una invitación',
  about: '{inviter} te invitó a formar parte de la empresa {company}.',
  someone: 'Un miembro',
  until: 'Válida hasta: {moment}',
  decline: {
    action: 'Rechazar invitación',
    title: '¿Rechazar esta invitación?',
    intro: 'No formarás parte de la empresa {company}. Si cambias de opinión, pide una invitación nueva.',
    done: 'Invitación rechazada.',
  },
  register: {
    intro: 'Crea tu cuenta para aceptar. Su correo electrónico será {email}.',
    submit: 'Crear cuenta y aceptar',
  },
  signIn: {
    intro: 'Ya tienes una cuenta con {email}. Inicia sesión y luego acepta.',
    action: 'Iniciar sesión para aceptar',
  },
  accept: { intro: 'Aceptas con tu cuenta {email}.', action: 'Aceptar invitación' },
  another: {
    title: 'Esta invitación es para otra persona',
    intro: 'Iniciaste sesión como {account}, y se envió a {email}.',
    action: 'Cerrar sesión y continuar',
    stay: 'Mantener la sesión',
  },
  password: {
    intro: 'Iniciaste sesión con una contraseña temporal. Elige la tuya y vuelve a abrir el enlace del correo.',
    action: 'Elegir contraseña',
  },
  noAccounts: 'Aquí no se pueden crear cuentas nuevas. Pide a la empresa que te agregue.',
  joined: 'Ahora eres miembro de la empresa {company}.',
  inactive: {
    title: 'Tu membresía está inactiva',
    intro: 'Ya formabas parte de la empresa {company}. Pide a un administrador que active tu membresía.',
  },
  open: 'Abrir {site}',
  declined: { title: 'Invitación rechazada', intro: 'No se te agregó a la empresa. Ya puedes cerrar esta página.' },
  dead: {
    title: 'Este enlace ya no funciona',
    intro:
      'La invitación se respondió, se canceló, se envió de nuevo o venció. Si la aceptaste, ya formas parte de la empresa; si no, pide una nueva.',
  },
  void: {
    title: 'Esta invitación ya no es válida',
    intro: 'Quien la envió ya no puede invitarte. Pide una invitación nueva.',
  },
  join: {
    title: 'Unirte a una empresa',
    about:
      'Con este enlace puedes unirte a la empresa {company}. Necesitas una cuenta con un correo electrónico que puedas confirmar.',
    signIn: 'Iniciar sesión para unirte',
    signUp: 'Crear una cuenta',
    as: 'Te unes a la empresa {company} con tu cuenta {email}.',
    action: 'Unirme a la empresa',
    confirm: 'Primero confirma tu correo electrónico. Podemos enviarte un enlace; luego vuelve a esta página.',
    send: 'Enviar enlace',
    sent: 'Enviamos un enlace a {email}.',
    confirmNext: 'Enviamos un enlace a {email}. Ábrelo y luego vuelve aquí para unirte.',
    missing:
      'Falta una parte del enlace; también ocurre al recargar esta página. Vuelve a abrir el enlace que te dieron.',
    dead: 'Venció, se canceló o ya se usó tantas veces como se podía. Pide uno nuevo.',
  },
  code: {
    title: 'Revisa tu bandeja de entrada',
    intro: 'Enviamos un código a tu correo electrónico, para que nadie más pueda responder ni unirse en tu lugar.',
    label: 'Código del correo',
    submit: 'Confirmar',
  },
  own: {
    title: 'Invitaciones y acceso',
    intro: 'Empresas que te invitaron y empresas a las que puedes unirte.',
    invitations: 'Invitaciones para ti',
    from: 'De {inviter}, válida hasta el {day}',
    none: 'Ninguna empresa espera tu respuesta.',
    unconfirmed:
      'Confirma tu correo electrónico para verlas: las invitaciones son de quien lee esa bandeja de entrada.',
    accept: 'Aceptar',
    acceptOf: 'Aceptar la invitación de la empresa {company}',
    decline: 'Rechazar',
    declineOf: 'Rechazar la invitación de la empresa {company}',
    task: '{count, plural, one {Una empresa te invitó} many {# empresas te invitaron} other {# empresas te invitaron}}',
    view: 'Ver invitaciones',
  },
  joinable: {
    title: 'Empresas a las que puedes unirte',
    intro: 'Verificaron el dominio de tu correo electrónico.',
    none: 'En este momento no hay ninguna empresa a la que puedas unirte con tu correo electrónico.',
    auto: 'Te unes de inmediato',
    request: 'Decide un administrador',
    requested: 'Solicitud del {day}',
    join: 'Unirme',
    joinOf: 'Unirme a la empresa {company}',
    ask: 'Solicitar acceso',
    askOf: 'Solicitar acceso a la empresa {company}',
    withdraw: 'Retirar',
    withdrawOf: 'Retirar la solicitud a la empresa {company}',
    asked: 'Enviamos tu solicitud a la empresa {company}. Te escribiremos cuando decida.',
    withdrawn: 'Solicitud retirada.',
  },
} satisfies Same<typeof en>
