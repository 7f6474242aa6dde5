import { counted } from './counting.js'

const wait = counted('es', {
  one: 'Espera # segundo e inténtalo de nuevo.',
  many: 'Espera # de segundos e inténtalo de nuevo.',
  other: 'Espera # segundos e inténtalo de nuevo.',
})

/** What the API says against a password, in its own words. */
const reasons = {
  'must have at least 8 characters': 'La contraseña debe tener al menos 8 caracteres.',
  'must have at most 128 characters': 'La contraseña debe tener como máximo 128 caracteres.',
  'must have an uppercase letter': 'La contraseña debe tener una letra mayúscula.',
  'must have a lowercase letter': 'La contraseña debe tener una letra minúscula.',
  'must have a digit': 'La contraseña debe tener un número.',
  'contains characters that aren’t allowed': 'La contraseña tiene caracteres no permitidos.',
  'can’t be your email address': 'La contraseña no puede ser igual a tu correo electrónico.',
  'is too common': 'Esta contraseña es demasiado común. Elige otra.',
}

const linkMissing = {
  heading: 'Este enlace está incompleto',
  message: 'Falta una parte del enlace; también ocurre al recargar esta página. Vuelve a abrir el enlace del correo.',
}

/** Addresses the reader as «tú», like the emails. */
export default {
  signIn: 'Iniciar sesión',
  checking: 'Comprobando el enlace…',

  trouble: {
    tooManyRequests: (seconds) =>
      `Demasiadas solicitudes. ${seconds > 0 ? wait(seconds) : 'Espera un momento e inténtalo de nuevo.'}`,
    waitIsOver: 'Ya puedes intentarlo de nuevo.',
    noAnswer: 'No pudimos conectarnos con el servicio. Revisa tu conexión e inténtalo de nuevo.',
    failed: 'Algo salió mal de nuestro lado. Inténtalo de nuevo en un momento.',
  },

  home: {
    title: 'Dirección del servicio',
    heading: 'Este es el servicio detrás del producto',
    intro:
      'En esta dirección no puedes iniciar sesión. Abre la aplicación o el sitio web donde usas el producto e inicia ' +
      'sesión ahí. Si no sabes dónde está, pregunta a un administrador de tu empresa.',
    forgotten: '¿Olvidaste tu contraseña?',
    reset: 'Restablecer contraseña',
    development: 'Para desarrolladores',
    setting: 'Los botones de los correos llevan a APP_URL. Configura ahí la dirección de tu front-end.',
    documentation: 'Documentación de la API',
    mailbox: 'Correos de desarrollo',
  },

  confirmAddress: {
    title: 'Confirma tu correo electrónico',
    heading: 'Confirma tu correo electrónico',
    intro: 'Haz clic en el botón para confirmar que esta dirección de correo es tuya.',
    submit: 'Confirmar correo',
    busy: 'Confirmando…',
    confirmed: {
      heading: 'Correo confirmado',
      message: 'A partir de ahora, inicia sesión con esta dirección. Ya puedes cerrar esta página.',
    },
    linkMissing,
    linkInvalid: {
      heading: 'Este enlace ya no funciona',
      message:
        'Ya se usó, venció o un correo más reciente lo reemplazó. Si ya confirmaste tu dirección, no tienes que hacer ' +
        'nada más. Si no, solicita un enlace nuevo.',
    },
    taken: {
      heading: 'Esta dirección ya está en uso',
      message:
        'Mientras tanto, otra cuenta empezó a usar esta dirección. Nada cambió: tu cuenta conserva su dirección actual.',
    },
  },

  newLink: {
    intro:
      'Si acabas de registrarte, ingresa tu correo electrónico y te enviaremos un enlace nuevo. Si estás cambiando tu ' +
      'dirección, inicia sesión y solicita ahí un enlace nuevo.',
    label: 'Correo electrónico',
    submit: 'Enviar enlace nuevo',
    busy: 'Enviando…',
    malformed: 'Ingresa una dirección de correo como ana@example.com.',
    asked: (email) => ({
      heading: 'Revisa tu bandeja de entrada',
      message:
        `Si ${email} pertenece a una cuenta y aún no está confirmado, recibirás un correo con un enlace nuevo. El ` +
        'enlace es válido durante 24 horas y se puede usar una sola vez. Si no lo ves, revisa la carpeta de spam o ' +
        'correo no deseado.',
    }),
  },

  invitation: {
    title: 'Invitación',
    heading: 'Tienes una invitación',
    intro: 'Cargando la invitación…',
    about: ({ company, inviter, email }) =>
      `${inviter ?? 'Un miembro'} invitó a ${email} a formar parte de la empresa ${company}.`,
    nameLabel: 'Tu nombre',
    passwordLabel: 'Contraseña',
    noAccounts: 'Aquí no se pueden crear cuentas nuevas. Pide a la empresa que te agregue.',
    register: {
      submit: 'Crear cuenta y aceptar',
      busy: 'Aceptando…',
      nameMissing: 'Ingresa tu nombre.',
      nameRefused: 'Este nombre no se puede usar. Ingresa otro.',
    },
    signIn: {
      intro: 'Ya tienes una cuenta. Inicia sesión para aceptar.',
      submit: 'Iniciar sesión y aceptar',
      busy: 'Aceptando…',
      blank: 'Ingresa tu contraseña.',
      wrong: 'La contraseña es incorrecta.',
    },
    forgotten: '¿Olvidaste tu contraseña?',
    afterReset: 'Después, abre de nuevo la invitación desde el correo.',
    codeLabel: 'Código',
    code: {
      intro: 'Escribe el código de tu app de autenticación o uno de tus códigos de recuperación.',
      submit: 'Confirmar y aceptar',
      busy: 'Aceptando…',
      blank: 'Escribe un código.',
      wrong:
        'Este código no es correcto o ya se usó. Espera el siguiente. Después de varios intentos, abre otra vez el enlace.',
    },
    decline: { submit: 'Rechazar invitación', busy: 'Rechazando…' },
    joined: (company) => ({ heading: 'Invitación aceptada', message: `Ahora eres miembro de la empresa ${company}.` }),
    declined: {
      heading: 'Invitación rechazada',
      message: 'No se te agregó a la empresa. Ya puedes cerrar esta página.',
    },
    elsewhere: {
      heading: 'Primero inicia sesión en la aplicación',
      message: 'Tu cuenta pide un paso más. Inicia sesión donde usas el producto y acepta ahí la invitación.',
    },
    reserved: {
      heading: 'Esta dirección aún no se puede usar',
      message:
        'Otra cuenta la usó hace menos de 7 días y aún puede recuperarla. Abre de nuevo la invitación desde el correo más tarde, antes de que venza.',
    },
    noLongerValid: {
      heading: 'Esta invitación ya no es válida',
      message: 'Quien la envió ya no puede invitarte. Pide una invitación nueva.',
    },
    linkInvalid: {
      heading: 'Este enlace ya no funciona',
      message: 'La invitación se respondió, se canceló, se envió de nuevo o venció. Pide una nueva.',
    },
  },

  restoreAddress: {
    title: 'Restaura tu correo electrónico',
    heading: 'Restaura tu correo electrónico',
    intro:
      'El correo electrónico de tu cuenta se cambió. Si no fuiste tú, restaura tu dirección anterior: así se cerrará ' +
      'la sesión en todos los dispositivos y te enviaremos un enlace para elegir una contraseña nueva.',
    submit: 'Restaurar correo',
    busy: 'Restaurando…',
    restored: {
      heading: 'Correo restaurado',
      message:
        'Tu cuenta vuelve a usar tu dirección anterior y se cerró la sesión en todos los dispositivos. Revisa tu ' +
        'bandeja de entrada: va en camino un correo con un enlace para elegir una contraseña nueva.',
    },
    linkMissing,
    linkInvalid: {
      heading: 'Este enlace ya no funciona',
      message:
        'Ya se usó, venció o un correo más reciente lo reemplazó. Si no puedes entrar en tu cuenta, contacta a soporte.',
    },
    taken: {
      heading: 'Esta dirección ya está en uso',
      message:
        'Mientras tanto, otra cuenta empezó a usar tu dirección anterior. Nada cambió. Contacta a soporte para ' +
        'recuperar tu cuenta.',
    },
  },

  cancelReset: {
    title: 'Conservar tus segundos factores',
    heading: 'Conservar tus segundos factores',
    intro:
      'Se van a quitar todas las llaves de acceso, aplicaciones de autenticación y códigos de recuperación de tu cuenta. Si no ' +
      'lo pediste, cancélalo. No cambia nada más.',
    submit: 'Cancelar',
    busy: 'Cancelando…',
    cancelled: {
      heading: 'Cancelado',
      message:
        'Tus segundos factores se quedan. Es posible que alguien sepa tu contraseña: restablécela si no pediste quitarlos.',
      next: 'Restablecer contraseña',
    },
    linkMissing,
    linkInvalid: {
      heading: 'Este enlace ya no funciona',
      message:
        'Ya se canceló o se llevó a cabo, o tu cuenta tiene ahora otra dirección de correo. Si no puedes entrar en tu cuenta, ' +
        'contacta al equipo de soporte.',
    },
  },

  undoFactor: {
    title: 'Deshacer el cambio',
    heading: 'Deshacer el cambio',
    intro:
      'Se cambiaron los segundos factores de tu cuenta. Si no fuiste tú, deshazlo: se quitarán los factores agregados ' +
      'desde entonces, se cerrarán todas las sesiones y te enviaremos un enlace para elegir una contraseña nueva.',
    submit: 'No fui yo',
    busy: 'Deshaciendo…',
    undone: {
      heading: 'Cambio deshecho',
      message:
        'Se cerraron todas las sesiones. Revisa tu bandeja de entrada: va en camino un correo con un enlace para elegir ' +
        'una contraseña nueva.',
    },
    linkMissing,
    linkInvalid: {
      heading: 'Este enlace ya no funciona',
      message:
        'Ya se usó, venció o tu cuenta tiene ahora otra dirección de correo. Si no puedes entrar en tu cuenta, contacta ' +
        'a soporte.',
    },
  },

  choosePassword: {
    title: 'Elige una contraseña nueva',
    heading: 'Elige una contraseña nueva',
    intro: 'Reemplazará tu contraseña actual y cerrará tu sesión en todos los dispositivos.',
    label: 'Contraseña nueva',
    compromised: 'Puede que otra persona haya usado mi cuenta',
    compromisedHint:
      'Así también dejan de funcionar las invitaciones, los enlaces y las contraseñas temporales que se dieron desde ella.',
    submit: 'Guardar contraseña',
    busy: 'Guardando…',
    reveal: { label: 'Mostrar', name: 'Mostrar contraseña' },
    conceal: { label: 'Ocultar', name: 'Ocultar contraseña' },
    rules: {
      length: 'De 8 a 128 caracteres',
      uppercase: 'Una letra mayúscula',
      lowercase: 'Una letra minúscula',
      digit: 'Un número',
    },
    kept: 'cumplido',
    notKept: 'pendiente',
    blank: 'Ingresa una contraseña nueva.',
    rulesNotKept: 'Esta contraseña todavía no cumple todos los requisitos.',
    unchanged: 'Esa ya es tu contraseña. Elige otra.',
    refused: (reason) => reasons[reason] ?? 'Esta contraseña no se puede usar. Elige otra.',
    saved: {
      heading: 'Contraseña cambiada',
      message: 'Se cerró tu sesión en todos los dispositivos. Ya puedes iniciar sesión con tu contraseña nueva.',
    },
    linkInvalid: {
      heading: 'Este enlace ya no funciona',
      message:
        'Ya se usó, un correo más reciente lo reemplazó o pasaron más de 15 minutos. Si acabas de elegir una ' +
        'contraseña, intenta iniciar sesión con ella.',
      next: 'Solicitar un enlace nuevo',
    },
  },

  askForLink: {
    title: 'Restablece tu contraseña',
    heading: 'Restablece tu contraseña',
    intro: 'Ingresa el correo electrónico de tu cuenta y te enviaremos un enlace para elegir una contraseña nueva.',
    label: 'Correo electrónico',
    submit: 'Enviar enlace',
    busy: 'Enviando…',
    malformed: 'Ingresa una dirección de correo como ana@example.com.',
    asked: (email) => ({
      heading: 'Revisa tu bandeja de entrada',
      message:
        `Si existe una cuenta con ${email}, recibirás un correo con un enlace. El enlace es válido durante 15 minutos ` +
        'y se puede usar una sola vez. Si no lo ves, revisa la carpeta de spam o correo no deseado.',
      next: 'Usar otra dirección',
    }),
  },
}
