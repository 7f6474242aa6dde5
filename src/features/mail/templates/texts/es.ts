import type { EmailTranslations } from '../translations.ts'

/** Addresses the reader as «tú», and in words that are understood on both sides of the Atlantic. */
export const es: EmailTranslations = {
  greeting: '{name, select, unnamed {Hola:} other {Hola, {name}:}}',
  addressHint: 'Si el botón no funciona, abre esta dirección:',
  footer: '{site} envió este mensaje acerca de la cuenta que tiene esta dirección de correo. Nadie lee las respuestas.',

  emails: {
    confirm_email: {
      subject: 'Confirma tu dirección de correo electrónico',
      preview: 'Solo falta un paso para tu cuenta en {site}.',
      paragraphs: [
        'Se creó una cuenta en {site} con esta dirección de correo electrónico. Por favor, confirma que la dirección es tuya.',
        'El enlace es válido durante 24 horas y se puede usar una sola vez.',
      ],
      action: 'Confirmar mi dirección',
      after: ['Si no creaste esta cuenta, no hagas nada: la dirección quedará sin confirmar.'],
    },

    change_email: {
      subject: 'Confirma tu nueva dirección de correo electrónico',
      preview: 'Falta un paso para que tu cuenta en {site} use esta dirección.',
      paragraphs: [
        'Alguien, suponemos que tú, pidió que una cuenta en {site} use a partir de ahora esta dirección de correo electrónico. El cambio se hará cuando la confirmes.',
        'El enlace es válido durante 24 horas y se puede usar una sola vez.',
      ],
      action: 'Confirmar nueva dirección',
      after: ['Si no lo pediste, no hagas nada: todo seguirá como está.'],
    },

    email_change_requested: {
      subject: 'Tu dirección de correo está a punto de cambiar',
      preview: 'Se pidió usar otra dirección para tu cuenta en {site}.',
      paragraphs: [
        'Alguien con una sesión abierta en tu cuenta de {site} pidió reemplazar esta dirección de correo electrónico por {newEmail}.',
        'El cambio se hará cuando se confirme la nueva dirección. Si fuiste tú, aquí no tienes que hacer nada.',
        'Si no fuiste tú, otra persona puede entrar en tu cuenta. Recupera tu contraseña de inmediato: así se cierran todas las sesiones y se detiene el cambio.',
      ],
      action: 'Recuperar mi contraseña',
    },

    email_changed: {
      subject: 'Tu dirección de correo electrónico cambió',
      preview: 'Tu cuenta en {site} usa ahora otra dirección.',
      paragraphs: [
        'Tu cuenta en {site} usa ahora la dirección de correo electrónico {newEmail}. Este es el último mensaje que enviamos a la anterior.',
        'Si fuiste tú, no tienes que hacer nada.',
        'Si no fuiste tú, otra persona entró en tu cuenta. Recupera tu contraseña de inmediato; si a esta dirección ya no llega ningún mensaje, acude a quien administra {site}.',
      ],
      action: 'Recuperar mi contraseña',
    },

    reset_password: {
      subject: 'Elige una contraseña nueva',
      preview: 'El enlace de este mensaje es válido durante 15 minutos.',
      paragraphs: [
        'Alguien, suponemos que tú, pidió una contraseña nueva para tu cuenta en {site}.',
        'El enlace es válido durante 15 minutos y se puede usar una sola vez. Cuando elijas una contraseña nueva, se cerrarán todas tus sesiones.',
      ],
      action: 'Elegir contraseña nueva',
      after: [
        'Si no lo pediste, no hagas nada: tu contraseña seguirá siendo la misma.',
        'No compartas este enlace: quien lo tenga puede apoderarse de tu cuenta.',
      ],
    },

    password_changed: {
      subject: 'Tu contraseña cambió',
      preview: 'Tu cuenta en {site} tiene una contraseña nueva.',
      paragraphs: [
        'La contraseña de tu cuenta en {site} cambió.',
        'Si fuiste tú, no tienes que hacer nada.',
        'Si no fuiste tú, otra persona entró en tu cuenta. Recupera tu contraseña de inmediato: así se cierran todas las sesiones.',
      ],
      action: 'Recuperar mi contraseña',
    },

    refresh_token_reused: {
      subject: 'Una sesión tuya se presentó dos veces',
      preview: 'Es posible que la hayan copiado de uno de tus dispositivos.',
      paragraphs: [
        'Lo que mantiene abierta la sesión de un dispositivo en tu cuenta de {site} sirve una sola vez. Algo que ya se había usado se presentó de nuevo y fue rechazado.',
        '{ended, select, yes {Es posible que alguien lo haya copiado, así que cerramos la sesión de ese dispositivo. Si es tuyo, vuelve a iniciar sesión.} other {Ocurre por accidente, cuando una respuesta se pierde por el camino o dos ventanas preguntan casi a la vez, así que no cerramos ninguna sesión. También ocurre cuando alguien lo ha copiado.}}',
        'Si no fuiste tú, o no lo sabes con seguridad, es posible que otra persona haya entrado en tu cuenta. Recupera tu contraseña: así se cierran todas las sesiones.',
      ],
      action: 'Recuperar mi contraseña',
    },

    temporary_password: {
      subject: 'Tu cuenta en {site}',
      preview: 'Con una contraseña temporal para entrar por primera vez.',
      paragraphs: [
        '{company, select, unnamed {Una empresa} other {{company}}} creó una cuenta para ti en {site}. Inicia sesión con esta dirección de correo electrónico y la contraseña temporal que está más abajo; después elegirás la tuya.',
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
      subject: 'Una contraseña temporal para ti',
      preview: 'Para tu cuenta en {site}.',
      paragraphs: [
        '{company, select, unnamed {Una de tus empresas} other {{company}}} pidió una contraseña temporal para tu cuenta en {site}. Cuando inicies sesión con ella, elegirás la tuya.',
        '{replaces, select, yes {Reemplaza a la contraseña anterior, y se cerraron todas tus sesiones.} other {Tu propia contraseña sigue funcionando: si la recuerdas, no tienes que hacer nada.}}',
        'La contraseña temporal es válida durante {hours, plural, one {# hora} other {# horas}}, hasta el {until, date, day} ({until, time, clock}).',
      ],
      action: 'Iniciar sesión',
    },

    added_to_company: {
      subject: 'Te agregaron a {company, select, unnamed {una empresa} other {{company}}}',
      preview: 'Tu cuenta en {site} tiene una empresa más.',
      paragraphs: [
        '{company, select, unnamed {Una empresa} other {{company}}} te agregó en {site}. Inicia sesión como siempre; nada más ha cambiado en tu cuenta.',
      ],
      action: 'Abrir {site}',
      after: [
        'Si nunca creaste una cuenta con esta dirección, otra persona lo hizo. Restablece la contraseña: así se cierran todas las sesiones y la cuenta pasa a ser tuya.',
      ],
      secondAction: 'Restablecer contraseña',
    },

    unverified_membership_ended: {
      subject: '{email} ya no es miembro de {company, select, unnamed {tu empresa} other {{company}}}',
      preview: 'La cuenta cambió su dirección de correo antes de que se confirmara.',
      paragraphs: [
        '{email} se añadió a {company, select, unnamed {tu empresa} other {{company}}} en {site}. Ahora la cuenta tiene otra dirección de correo, y nadie llegó a confirmar que {email} fuera suya. La pertenencia ha terminado, porque la cuenta puede no ser de la persona que querías añadir.',
        'Si sigues queriendo a esta persona en la empresa, pídele su dirección de correo y añádela de nuevo.',
      ],
      action: 'Abrir {site}',
    },

    ownership_offered: {
      subject: 'Te ofrecen la titularidad de {company, select, unnamed {una empresa} other {{company}}}',
      preview: 'Inicia sesión en un plazo de 7 días para aceptar.',
      paragraphs: [
        '{from, select, unnamed {Alguien con el rol Owner} other {{from}}} te ofrece la titularidad de {company, select, unnamed {una empresa} other {{company}}} en {site}.',
        'Para aceptarla, inicia sesión en un plazo de 7 días. Hasta entonces no cambia nada; después, la oferta deja de valer.',
      ],
      action: 'Abrir {site}',
      after: ['Si no la quieres, no hagas nada.'],
    },

    ownership_transferred: {
      subject: 'La titularidad de {company, select, unnamed {tu empresa} other {{company}}} cambió de manos',
      preview: '{to, select, unnamed {Otra persona} other {{to}}} aceptó la titularidad.',
      paragraphs: [
        'La titularidad de {company, select, unnamed {tu empresa} other {{company}}} en {site} pasó de {from, select, unnamed {quien la tenía} other {{from}}} a {to, select, unnamed {otra persona} other {{to}}}.',
        'Si así se acordó, no tienes que hacer nada. Si no sabes nada de esto, puede que otra persona haya entrado en tu cuenta: recupera tu contraseña de inmediato, así se cierran todas las sesiones.',
      ],
      action: 'Recuperar mi contraseña',
    },

    company_deleted: {
      subject: 'Se eliminó {company, select, unnamed {tu empresa} other {la empresa {company}}}',
      preview: 'Quien tenga el rol Owner todavía puede restaurarla.',
      paragraphs: [
        '{by, select, unnamed {Alguien con el rol Owner} other {{by}}} eliminó {company, select, unnamed {tu empresa} other {la empresa {company}}} en {site}. Desde ahora nadie puede trabajar en ella.',
        'Quien tenga el rol Owner puede restaurarla, con todo su contenido, hasta el {until, date, day} ({until, time, clock}). Después se perderá para siempre.',
      ],
      action: 'Abrir {site}',
    },
  },
}
