import type { EmailTranslations } from '../translations.ts'

export const es: EmailTranslations = {
  greeting: '{name, select, unnamed {Hola:} other {Hola, {name}:}}',
  addressHint: 'Si el botón no funciona, abre este enlace:',
  footer:
    '{site} envió este correo sobre una cuenta asociada a esta dirección. No respondas a este mensaje: nadie lee las respuestas.',

  emails: {
    confirm_email: {
      subject: 'Confirma tu correo electrónico',
      preview: 'Solo falta un paso para completar tu registro en {site}.',
      paragraphs: [
        'Se creó una cuenta en {site} con esta dirección de correo. Confirma que es tuya.',
        'El enlace es válido durante 24 horas y se puede usar una sola vez.',
      ],
      action: 'Confirmar correo',
      after: ['Si no creaste esta cuenta, ignora este mensaje. La dirección quedará sin confirmar.'],
    },

    change_email: {
      subject: 'Confirma tu nuevo correo electrónico',
      preview: 'Confirma esta dirección para usarla en tu cuenta de {site}.',
      paragraphs: [
        'Recibimos una solicitud para usar esta dirección de correo en una cuenta de {site}. El cambio se hará cuando la confirmes.',
        'El enlace es válido durante 24 horas y se puede usar una sola vez.',
      ],
      action: 'Confirmar nuevo correo',
      after: ['Si no lo solicitaste, ignora este mensaje. Nada cambiará.'],
    },

    email_change_requested: {
      subject: 'Solicitud para cambiar tu correo electrónico',
      preview: 'Se solicitó otra dirección de correo para tu cuenta de {site}.',
      paragraphs: [
        'Alguien con una sesión abierta en tu cuenta de {site} solicitó cambiar esta dirección de correo por {newEmail}.',
        'El cambio se hará cuando se confirme la nueva dirección. Si fuiste tú, puedes ignorar este mensaje.',
        'Si no fuiste tú, otra persona tiene acceso a tu cuenta. Restablece tu contraseña de inmediato: así se cierran todas las sesiones y se cancela el cambio.',
      ],
      action: 'Restablecer contraseña',
    },

    email_changed: {
      subject: 'Se cambió el correo de tu cuenta',
      preview: 'Tu cuenta de {site} ahora usa otra dirección de correo.',
      paragraphs: [
        'La dirección de correo de tu cuenta de {site} cambió a {newEmail}.',
        'Si fuiste tú, no tienes que hacer nada.',
        'Si no fuiste tú, otra persona tiene acceso a tu cuenta. Deshaz el cambio: tu cuenta volverá a usar esta dirección, se cerrarán todas las sesiones y te enviaremos un enlace para elegir una contraseña nueva.',
        'El enlace es válido durante 7 días y se puede usar una sola vez.',
      ],
      action: 'Deshacer el cambio',
      after: ['No compartas este enlace: quien lo tenga puede tomar el control de tu cuenta.'],
    },

    email_replaced: {
      subject: 'Se cambió el correo de tu cuenta',
      preview: 'Tu cuenta de {site} ahora usa otra dirección de correo.',
      paragraphs: [
        'La dirección de correo de tu cuenta de {site} cambió a {newEmail}. Este es el último mensaje sobre esta cuenta que enviamos a esta dirección.',
        'Si fuiste tú, no tienes que hacer nada.',
        'Si no fuiste tú, otra persona tomó el control de tu cuenta. Comunícate de inmediato con el soporte de {site} e indica que se reemplazó esta dirección.',
      ],
      action: 'Abrir {site}',
    },

    email_restored: {
      subject: 'Se restauró tu dirección de correo',
      preview: 'Elige una contraseña nueva para tu cuenta de {site}.',
      paragraphs: [
        'Tu cuenta de {site} vuelve a usar esta dirección de correo. Se cerraron todas las sesiones y la contraseña anterior ya no funciona.',
        'Elige una contraseña nueva para iniciar sesión. El enlace es válido durante 15 minutos y se puede usar una sola vez.',
      ],
      action: 'Elegir contraseña nueva',
      after: [
        'No compartas este enlace: quien lo tenga puede tomar el control de tu cuenta.',
        'Si ya venció, restablece la contraseña con el enlace de abajo.',
      ],
      secondAction: 'Restablecer contraseña',
    },

    email_removed: {
      subject: 'Se quitó tu dirección de correo de una cuenta',
      preview: 'Se deshizo un cambio de dirección de correo.',
      paragraphs: [
        'Esta dirección de correo ya no pertenece a una cuenta de {site}. El cambio se deshizo con un enlace que enviamos a la dirección anterior.',
        'Se cerraron todas las sesiones y la contraseña de la cuenta ya no funciona.',
        'Si la cuenta es tuya y no puedes leer los mensajes de la dirección anterior, comunícate de inmediato con el soporte de {site}.',
      ],
      action: 'Abrir {site}',
    },

    reset_password: {
      subject: 'Restablece tu contraseña',
      preview: 'El enlace de este correo es válido durante 15 minutos.',
      paragraphs: [
        'Recibimos una solicitud para restablecer la contraseña de tu cuenta de {site}.',
        'El enlace es válido durante 15 minutos y se puede usar una sola vez. Al elegir una contraseña nueva, se cerrará tu sesión en todos los dispositivos.',
      ],
      action: 'Elegir contraseña nueva',
      after: [
        'Si no lo solicitaste, ignora este mensaje. Tu contraseña seguirá siendo la misma.',
        'No compartas este enlace: quien lo tenga puede tomar el control de tu cuenta.',
      ],
    },

    password_changed: {
      subject: 'Se cambió tu contraseña',
      preview: 'Tu cuenta de {site} tiene una contraseña nueva.',
      paragraphs: [
        'La contraseña de tu cuenta de {site} cambió.',
        'Si fuiste tú, no tienes que hacer nada.',
        'Si no fuiste tú, otra persona tiene acceso a tu cuenta. Restablece tu contraseña de inmediato: así se cierran todas las sesiones.',
      ],
      action: 'Restablecer contraseña',
    },

    refresh_token_reused: {
      subject: 'Actividad inusual en tu sesión',
      preview: 'Es posible que hayan copiado una sesión de tu cuenta de {site}.',
      paragraphs: [
        'Un dispositivo mantiene la sesión abierta en tu cuenta de {site} con un token que sirve una sola vez. Se presentó de nuevo un token ya usado y lo rechazamos.',
        '{ended, select, yes {Es posible que alguien lo haya copiado, así que cerramos la sesión de ese dispositivo. Si es tuyo, vuelve a iniciar sesión.} other {Puede ocurrir por accidente, cuando se pierde una respuesta o dos ventanas envían una solicitud casi al mismo tiempo, así que no cerramos ninguna sesión. También ocurre cuando alguien copió el token.}}',
        'Si no fuiste tú, o no lo sabes con seguridad, es posible que otra persona tenga acceso a tu cuenta. Restablece tu contraseña: así se cierran todas las sesiones.',
      ],
      action: 'Restablecer contraseña',
    },

    temporary_password: {
      subject: 'Tu cuenta de {site} está lista',
      preview: 'Usa esta contraseña temporal para iniciar sesión por primera vez.',
      paragraphs: [
        '{company, select, unnamed {Una empresa} other {{company}}} creó una cuenta para ti en {site}. Inicia sesión con esta dirección de correo y la contraseña temporal que aparece abajo. Después elegirás tu propia contraseña.',
        'La contraseña temporal es válida durante {hours, plural, one {# hora} other {# horas}}, hasta el {until, date, day} ({until, time, clock}).',
      ],
      action: 'Iniciar sesión',
      after: [
        'Si ya venció, restablece la contraseña con el enlace de abajo o pide otra a la persona que te agregó.',
        '{company, select, unnamed {La empresa} other {{company}}} administra esta cuenta mientras seas miembro y puede ponerle otra contraseña. Si no esperabas este mensaje, puedes ignorarlo. Para que la cuenta sea solo tuya, restablece la contraseña y sal de la empresa.',
      ],
      secondAction: 'Restablecer contraseña',
    },

    password_reset: {
      subject: 'Tu contraseña temporal',
      preview: 'Inicia sesión con ella en {site} y después elige la tuya.',
      paragraphs: [
        '{company, select, unnamed {Una de tus empresas} other {{company}}} solicitó una contraseña temporal para tu cuenta de {site}. Inicia sesión con ella y después elige tu propia contraseña.',
        '{replaces, select, yes {Reemplaza tu contraseña anterior, y se cerró tu sesión en todos los dispositivos.} other {Tu contraseña actual sigue funcionando. Si la recuerdas, no tienes que hacer nada.}}',
        'La contraseña temporal es válida durante {hours, plural, one {# hora} other {# horas}}, hasta el {until, date, day} ({until, time, clock}).',
      ],
      action: 'Iniciar sesión',
    },

    added_to_company: {
      subject: 'Te agregaron a {company, select, unnamed {una empresa} other {{company}}}',
      preview: 'Inicia sesión en {site} como siempre.',
      paragraphs: [
        '{company, select, unnamed {Una empresa} other {{company}}} te agregó como miembro en {site}. Inicia sesión como siempre. Nada más cambió en tu cuenta.',
      ],
      action: 'Abrir {site}',
      after: [
        'Si nunca creaste una cuenta con esta dirección, otra persona lo hizo. Restablece la contraseña: así se cierran todas las sesiones y la cuenta pasa a ser tuya.',
      ],
      secondAction: 'Restablecer contraseña',
    },

    unverified_membership_ended: {
      subject: '{email} ya no es miembro de {company, select, unnamed {tu empresa} other {{company}}}',
      preview: 'La dirección de correo de la cuenta cambió antes de que se confirmara.',
      paragraphs: [
        '{email} se agregó a {company, select, unnamed {tu empresa} other {{company}}} en {site}. La cuenta ahora usa otra dirección de correo y nadie confirmó que {email} fuera suya. La membresía terminó porque es posible que la cuenta no sea de la persona que querías agregar.',
        'Si aún quieres agregar a esta persona, pídele su dirección de correo y agrégala de nuevo.',
      ],
      action: 'Abrir {site}',
    },

    ownership_offered: {
      subject: 'Te ofrecen el rol de propietario de {company, select, unnamed {una empresa} other {{company}}}',
      preview: 'Inicia sesión en un plazo de 7 días para aceptar o rechazar.',
      paragraphs: [
        '{from, select, unnamed {Un propietario} other {{from}}} quiere transferirte el rol de propietario de {company, select, unnamed {una empresa} other {{company}}} en {site}.',
        'Para aceptarlo, inicia sesión en un plazo de 7 días. Entonces tendrás el rol de propietario y {from, select, unnamed {quien te lo ofrece} other {{from}}} pasará a tener el de administrador. Nada cambia hasta que aceptes, y después de 7 días la oferta vence.',
      ],
      action: 'Abrir {site}',
      after: ['Si no lo quieres, rechaza la oferta o deja que venza.'],
    },

    ownership_transferred: {
      subject: 'Cambio de propietario en {company, select, unnamed {tu empresa} other {{company}}}',
      preview: '{to, select, unnamed {Otra persona} other {{to}}} aceptó el rol de propietario.',
      paragraphs: [
        '{to, select, unnamed {Otra persona} other {{to}}} tiene ahora el rol de propietario de {company, select, unnamed {tu empresa} other {{company}}} en {site}, y {from, select, unnamed {quien lo cedió} other {{from}}} tiene el de administrador.',
        'Si lo acordaste, no tienes que hacer nada. Si no, es posible que otra persona tenga acceso a tu cuenta: restablece tu contraseña de inmediato para cerrar todas las sesiones.',
      ],
      action: 'Restablecer contraseña',
    },

    company_deleted: {
      subject: 'Se eliminó {company, select, unnamed {tu empresa} other {la empresa {company}}}',
      preview: 'Un propietario todavía puede restaurarla.',
      paragraphs: [
        '{by, select, unnamed {Un propietario} other {{by}}} eliminó {company, select, unnamed {tu empresa} other {la empresa {company}}} en {site}. Sus miembros ya no tienen acceso.',
        'Cualquier propietario puede restaurarla, con todos sus datos, hasta el {until, date, day} ({until, time, clock}). Después se eliminará de forma definitiva.',
      ],
      action: 'Abrir {site}',
    },

    company_suspended: {
      subject: 'Se suspendió {company, select, unnamed {tu empresa} other {la empresa {company}}}',
      preview: 'Por ahora sus miembros no pueden usarla.',
      paragraphs: [
        'El equipo de {site} suspendió {company, select, unnamed {tu empresa} other {la empresa {company}}}. Sus miembros pueden iniciar sesión, pero no usar la empresa. No se eliminó nada.',
        'Para que se reactive, contacta con el soporte de {site}.',
      ],
      action: 'Abrir {site}',
    },

    company_resumed: {
      subject: '{company, select, unnamed {Tu empresa} other {La empresa {company}}} vuelve a estar disponible',
      preview: 'La suspensión terminó.',
      paragraphs: [
        'El equipo de {site} levantó la suspensión de {company, select, unnamed {tu empresa} other {la empresa {company}}}. Sus miembros pueden volver a usarla, con todos sus datos.',
      ],
      action: 'Abrir {site}',
    },

    account_created: {
      subject: 'Tu cuenta en {site}',
      preview: 'Elige una contraseña para iniciar sesión por primera vez.',
      paragraphs: [
        'El equipo de {site} creó una cuenta para ti con esta dirección de correo. Elige una contraseña para iniciar sesión.',
        'El enlace es válido durante 15 minutos y se puede usar una sola vez.',
      ],
      action: 'Elegir contraseña',
      after: [
        'No compartas este enlace: quien lo tenga puede tomar el control de tu cuenta.',
        'Si ya venció, solicita otro con el enlace de abajo.',
      ],
      secondAction: 'Solicitar otro enlace',
    },

    account_disabled: {
      subject: 'Tu cuenta en {site} está desactivada',
      preview: 'Por ahora no puedes iniciar sesión.',
      paragraphs: [
        'El equipo de {site} desactivó tu cuenta. Se cerraron todas las sesiones, y no puedes iniciar sesión ni restablecer la contraseña hasta que se active de nuevo.',
        'Si crees que es un error, contacta con el soporte de {site}.',
      ],
      action: 'Abrir {site}',
    },

    account_enabled: {
      subject: 'Tu cuenta en {site} vuelve a estar activa',
      preview: 'Puedes iniciar sesión como antes.',
      paragraphs: [
        'El equipo de {site} volvió a activar tu cuenta. Inicia sesión con tu contraseña, o restablécela si no la recuerdas.',
      ],
      action: 'Abrir {site}',
    },

    password_removed: {
      subject: 'Elige una contraseña nueva',
      preview: 'La contraseña de tu cuenta de {site} ya no funciona.',
      paragraphs: [
        'El equipo de {site} restableció tu cuenta. Se cerraron todas las sesiones y la contraseña anterior ya no funciona.',
        'Elige una contraseña nueva para iniciar sesión. El enlace es válido durante 15 minutos y se puede usar una sola vez.',
      ],
      action: 'Elegir contraseña nueva',
      after: [
        'No compartas este enlace: quien lo tenga puede tomar el control de tu cuenta.',
        'Si ya venció, solicita otro con el enlace de abajo.',
      ],
      secondAction: 'Solicitar otro enlace',
    },
  },
}
