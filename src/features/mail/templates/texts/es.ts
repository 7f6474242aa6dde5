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

    second_factor_added: {
      subject: 'Se agregó un segundo factor',
      preview: 'Para entrar en tu cuenta de {site} ya no basta la contraseña.',
      paragraphs: [
        'Se agregó {factor, select, unnamed {un segundo factor} other {el segundo factor {factor}}} a tu cuenta de {site}. A partir de ahora se pedirá al iniciar sesión.',
        'Si fuiste tú, no tienes que hacer nada.',
        'Si no fuiste tú, otra persona tiene acceso a tu cuenta. Deshazlo: se quitarán todos los factores agregados desde entonces, se cerrarán todas las sesiones y te enviaremos un enlace para elegir una contraseña nueva.',
        'El enlace es válido durante 3 días y se puede usar una sola vez.',
      ],
      action: 'No fui yo',
      after: ['No compartas este enlace: quien lo tenga puede tomar el control de tu cuenta.'],
    },

    second_factor_removed: {
      subject: 'Se quitó un segundo factor',
      preview: 'Ya no protege tu cuenta de {site}.',
      paragraphs: [
        'Se quitó {factor, select, unnamed {un segundo factor} other {el segundo factor {factor}}} de tu cuenta de {site}.',
        'Si fuiste tú, no tienes que hacer nada.',
        'Si no fuiste tú, otra persona tiene acceso a tu cuenta. Avísanos: se quitarán todos los factores agregados desde entonces, se cerrarán todas las sesiones y te enviaremos un enlace para elegir una contraseña nueva.',
        'El enlace es válido durante 3 días y se puede usar una sola vez.',
      ],
      action: 'No fui yo',
      after: ['No compartas este enlace: quien lo tenga puede tomar el control de tu cuenta.'],
    },

    second_factor_reset: {
      subject: 'Se quitaron tus segundos factores',
      preview: 'Ahora tu cuenta de {site} se abre solo con tu contraseña.',
      paragraphs: [
        'Un administrador de {company, select, unnamed {tu empresa} other {la empresa {company}}} quitó todos los segundos factores de tu cuenta de {site} y sus códigos de recuperación. Se cerró tu sesión en todos los dispositivos.',
        'Si lo pediste tú, inicia sesión con tu contraseña y agrega otra vez un segundo factor.',
        'Si no lo pediste, comunícate con tu administrador y restablece tu contraseña.',
      ],
      action: 'Restablecer contraseña',
    },

    factor_reset_announced: {
      subject: 'Se quitarán tus segundos factores',
      preview: 'Cancélalo si no lo pediste.',
      paragraphs: [
        'Al equipo de {site} se le pidió quitar los segundos factores de tu cuenta. Después del {until, date, day} ({until, time, clock}) se quitarán todas sus llaves de acceso, aplicaciones de autenticación y códigos de recuperación, y se cerrarán todas las sesiones. A partir de entonces bastará tu contraseña para iniciar sesión.',
        'Si lo pediste porque los perdiste, no tienes que hacer nada.',
        'Si no lo pediste, cancélalo: tus segundos factores se quedan. El enlace funciona hasta entonces. Es posible que alguien intente entrar en tu cuenta, así que restablece también tu contraseña.',
      ],
      action: 'Cancelar',
    },

    factor_reset_done: {
      subject: 'Se quitaron tus segundos factores',
      preview: 'Ahora basta tu contraseña para entrar en {site}.',
      paragraphs: [
        'El equipo de {site} quitó todas las llaves de acceso, aplicaciones de autenticación y códigos de recuperación de tu cuenta, como se había anunciado. Se cerraron todas las sesiones.',
        'Inicia sesión con tu contraseña y agrega un segundo factor nuevo.',
        'Si no lo pediste, restablece tu contraseña de inmediato y contacta al equipo de soporte de {site}.',
      ],
      action: 'Restablecer contraseña',
    },

    recovery_codes_created: {
      subject: 'Tienes códigos de recuperación nuevos',
      preview: 'Los anteriores ya no funcionan.',
      paragraphs: [
        'Se crearon códigos de recuperación nuevos para tu cuenta de {site}. Los anteriores ya no funcionan.',
        'Si fuiste tú, no tienes que hacer nada.',
        'Si no fuiste tú, otra persona tiene acceso a tu cuenta. Deshazlo: los códigos de recuperación dejarán de funcionar, se cerrarán todas las sesiones y te enviaremos un enlace para elegir una contraseña nueva.',
        'El enlace es válido durante 3 días y se puede usar una sola vez.',
      ],
      action: 'No fui yo',
      after: ['No compartas este enlace: quien lo tenga puede tomar el control de tu cuenta.'],
    },

    factor_change_undone: {
      subject: 'Se deshizo el cambio de tus segundos factores',
      preview: 'Elige una contraseña nueva para tu cuenta de {site}.',
      paragraphs: [
        'Se deshizo el cambio de los segundos factores de tu cuenta de {site}. Se cerraron todas las sesiones y la contraseña anterior ya no funciona.',
        'Los factores que se agregaron antes siguen funcionando. Si otro correo avisa de uno que no es tuyo, usa también el enlace de ese correo.',
        'Elige una contraseña nueva para iniciar sesión. El enlace es válido durante 15 minutos y se puede usar una sola vez.',
      ],
      action: 'Elegir contraseña nueva',
      after: [
        'No compartas este enlace: quien lo tenga puede tomar el control de tu cuenta.',
        'Si ya venció, restablece la contraseña con el enlace de abajo.',
      ],
      secondAction: 'Restablecer contraseña',
    },

    recovery_code_used: {
      subject: 'Se usó un código de recuperación',
      preview: 'Sustituyó al segundo factor de tu cuenta de {site}.',
      paragraphs: [
        'Se usó un código de recuperación de tu cuenta de {site} en lugar del segundo factor. {left, plural, one {Queda # código.} other {Quedan # códigos.}} Puedes crear otros cuando quieras.',
        'Si fuiste tú, no tienes que hacer nada más.',
        'Si no fuiste tú, otra persona tiene tu contraseña y uno de tus códigos. Restablece tu contraseña de inmediato: así se cierran todas las sesiones. Después crea códigos de recuperación nuevos.',
      ],
      action: 'Restablecer contraseña',
    },

    second_factor_guessed: {
      subject: 'Es posible que alguien sepa tu contraseña',
      preview: 'Se introdujeron códigos incorrectos para tu cuenta de {site}.',
      paragraphs: [
        'Alguien introdujo varios códigos incorrectos para el segundo factor de tu cuenta de {site}. Sabe tu contraseña o usa un dispositivo con la sesión abierta.',
        'Tu segundo factor lo detuvo. Si fuiste tú, vuelve a intentarlo más tarde o usa un código de recuperación.',
        'Si no fuiste tú, restablece tu contraseña de inmediato: así se cierran todas las sesiones.',
      ],
      action: 'Restablecer contraseña',
    },

    new_sign_in: {
      subject: 'Nuevo inicio de sesión en tu cuenta de {site}',
      preview: 'Desde una red y un dispositivo nuevos para ella.',
      paragraphs: [
        'Alguien inició sesión en tu cuenta de {site} el {at, date, day} ({at, time, clock}), desde la dirección {address} con {device, select, unnamed {un dispositivo desconocido} other {{device}}}. Ni la red ni el dispositivo se usaron con ella últimamente, o desde que se restableció su contraseña.',
        'Si fuiste tú, no tienes que hacer nada.',
        'Si no fuiste tú, otra persona tiene acceso a tu cuenta. Restablece tu contraseña de inmediato: así se cierran todas las sesiones. Después revisa las llaves de acceso y las aplicaciones de autenticación de tu cuenta.',
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
        '{company, select, unnamed {Una empresa} other {{company}}} creó una cuenta para ti en {site}. {by, select, unnamed {Inicia sesión} other {{verified, select, no {Te agregó {by}: esa dirección no está verificada.} other {Te agregó {by}.}} Inicia sesión}} con esta dirección de correo y la contraseña temporal que aparece abajo. Después elegirás tu propia contraseña.',
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
        '{replaces, select, yes {Reemplaza tu contraseña anterior, y se cerró tu sesión en todos los dispositivos.} none {Tu cuenta no tiene otra contraseña.} other {Tu contraseña actual sigue funcionando. Si la recuerdas, no tienes que hacer nada.}}',
        'La contraseña temporal es válida durante {hours, plural, one {# hora} other {# horas}}, hasta el {until, date, day} ({until, time, clock}).',
      ],
      action: 'Iniciar sesión',
    },

    added_to_company: {
      subject: 'Te agregaron a {company, select, unnamed {una empresa} other {{company}}}',
      preview:
        '{awaits, select, yes {Restablece la contraseña para confirmar tu dirección.} other {Inicia sesión en {site} como siempre.}}',
      paragraphs: [
        '{company, select, unnamed {Una empresa} other {{company}}} te agregó como miembro en {site}. {by, select, unnamed {{awaits, select, yes {Para abrirla, restablece antes la contraseña con el enlace de abajo: así confirmas tu dirección de correo.} other {Inicia sesión como siempre.}}} other {{verified, select, no {Te agregó {by}: esa dirección no está verificada.} other {Te agregó {by}.}} {awaits, select, yes {Para abrirla, restablece antes la contraseña con el enlace de abajo: así confirmas tu dirección de correo.} other {Inicia sesión como siempre.}}}} Nada más cambió en tu cuenta.',
      ],
      action: 'Abrir {site}',
      after: [
        'Si nunca creaste una cuenta con esta dirección, otra persona lo hizo. Restablece la contraseña: así se cierran todas las sesiones y la cuenta pasa a ser tuya.',
      ],
      secondAction: 'Restablecer contraseña',
    },

    invitation: {
      subject: 'Invitación a {company, select, unnamed {una empresa} other {{company}}}',
      preview: 'Acepta o rechaza antes del {until, date, day}.',
      paragraphs: [
        '{inviter, select, unnamed {Un miembro} other {{inviter}}} de {company, select, unnamed {una empresa} other {la empresa {company}}} te invitó a formar parte de ella en {site}. Nada cambia hasta que aceptes.',
        'La invitación es válida hasta el {until, date, day} ({until, time, clock}).',
      ],
      action: 'Ver invitación',
      after: [
        'Si no quieres formar parte, rechaza la invitación o ignora este correo.',
        'No compartas este enlace. Quien lo tenga puede responder en tu lugar.',
      ],
      footer: '{site} envió este correo porque alguien invitó a esta dirección. No leemos las respuestas.',
    },

    invitation_accepted: {
      subject:
        '{member, select, unnamed {La persona que invitaste} other {{member}}} ya forma parte de {company, select, unnamed {tu empresa} other {{company}}}',
      preview: 'Aceptaron tu invitación.',
      paragraphs: [
        '{member, select, unnamed {La persona que invitaste} other {{member}}} aceptó tu invitación y ahora es miembro de {company, select, unnamed {tu empresa} other {la empresa {company}}} en {site}.',
        'Si invitaste a esta persona, no tienes que hacer nada.',
        'Si no, es posible que otra persona tenga acceso a tu cuenta. Restablece tu contraseña de inmediato para cerrar todas las sesiones y quita de la empresa a quien se incorporó.',
      ],
      action: 'Restablecer contraseña',
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

    join_requested: {
      subject:
        '{person, select, unnamed {Alguien} other {{person}}} pide unirse a {company, select, unnamed {tu empresa} other {{company}}}',
      preview: 'Aprueba o rechaza la solicitud.',
      paragraphs: [
        '{person, select, unnamed {Alguien} other {{person}}} ({email}) pide unirse a {company, select, unnamed {tu empresa} other {{company}}} en {site}. La dirección está verificada y pertenece a un dominio de la empresa.',
        'Inicia sesión para aprobar o rechazar la solicitud. Nada cambia hasta entonces.',
      ],
      action: 'Abrir {site}',
    },

    joined_by_domain: {
      subject:
        '{person, select, unnamed {Alguien} other {{person}}} se unió a {company, select, unnamed {tu empresa} other {{company}}}',
      preview: 'Por el dominio de su dirección de correo.',
      paragraphs: [
        '{person, select, unnamed {Alguien} other {{person}}} ({email}) se unió a {company, select, unnamed {tu empresa} other {{company}}} en {site}. La dirección está verificada, y cualquiera que tenga una dirección de este dominio puede unirse.',
        'Si esta persona no debería estar allí, quítala de los miembros. No podrá volver con esta dirección sin una aprobación.',
      ],
      action: 'Abrir {site}',
    },

    join_approved: {
      subject: 'Ya eres miembro de {company, select, unnamed {una empresa} other {{company}}}',
      preview: 'Se aprobó tu solicitud para unirte.',
      paragraphs: [
        'Se aprobó tu solicitud para unirte a {company, select, unnamed {una empresa} other {{company}}} en {site}. Inicia sesión como siempre para abrirla.',
      ],
      action: 'Abrir {site}',
    },

    join_declined: {
      subject: 'Se rechazó tu solicitud para unirte a {company, select, unnamed {una empresa} other {{company}}}',
      preview: 'Nada cambió en tu cuenta.',
      paragraphs: [
        'Se rechazó tu solicitud para unirte a {company, select, unnamed {una empresa} other {{company}}} en {site}. Nada cambió en tu cuenta.',
        'Si crees que es un error, contacta con quienes administran la empresa.',
      ],
      action: 'Abrir {site}',
    },

    domain_lapsed: {
      subject: '{domain} ya no está verificado',
      preview: 'Su registro DNS falta desde hace 7 días.',
      paragraphs: [
        'El dominio {domain} de {company, select, unnamed {tu empresa} other {{company}}} en {site} ya no está verificado, porque su registro DNS falta desde hace 7 días. Quienes tienen una dirección de este dominio ya no pueden unirse por sí mismos ni pedirlo. Los miembros siguen siendo miembros.',
        'Publica de nuevo el registro y vuelve a verificar el dominio.',
      ],
      action: 'Abrir {site}',
    },

    domain_moved: {
      subject: 'Otra empresa verificó {domain}',
      preview: 'Ya no pertenece a tu empresa.',
      paragraphs: [
        'Otra empresa en {site} demostró con un registro DNS que controla el dominio {domain}. Ya no está verificado para {company, select, unnamed {tu empresa} other {{company}}}. Los miembros siguen siendo miembros, pero quienes tienen una dirección de este dominio ya no pueden unirse por sí mismos ni pedirlo.',
        'Si controlas este dominio, revisa quién puede cambiar sus registros DNS y elimina los que no conozcas. Después publica el registro nuevo que {site} muestra para el dominio y vuelve a verificarlo.',
      ],
      action: 'Abrir {site}',
    },

    company_deleted: {
      subject: 'Se eliminó {company, select, unnamed {tu empresa} other {la empresa {company}}}',
      preview: 'Un propietario todavía puede restaurarla.',
      paragraphs: [
        '{by, select, unnamed {Un propietario} other {{by}}} eliminó {company, select, unnamed {tu empresa} other {la empresa {company}}} en {site}. Sus miembros ya no tienen acceso.',
        'Cualquier propietario puede restaurarla, con todos sus datos, hasta el {until, date, day} ({until, time, clock}). Después se eliminará de forma definitiva.',
        'Si no lo esperabas, es posible que alguien se haya apoderado de la cuenta de un propietario. Si hasta hace poco eras propietario y no puedes restaurar la empresa, contacta con el soporte de {site}.',
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

    company_renamed: {
      subject: '{former, select, unnamed {Tu empresa} other {La empresa {former}}} tiene otro nombre',
      preview: 'Ahora se llama {company, select, unnamed {de otra manera} other {{company}}}.',
      paragraphs: [
        '{by, select, unnamed {Un miembro} other {{by}}} cambió el nombre de {former, select, unnamed {tu empresa} other {la empresa {former}}} en {site}. Ahora se llama {company, select, unnamed {de otra manera} other {{company}}}, también en los correos sobre ella.',
        'Si no lo esperabas, es posible que alguien se haya apoderado de una cuenta. Revisa el registro de auditoría y los miembros de tu empresa.',
      ],
      action: 'Abrir {site}',
    },

    company_restored: {
      subject: 'Se restauró {company, select, unnamed {tu empresa} other {la empresa {company}}}',
      preview: 'Sus miembros pueden volver a usarla.',
      paragraphs: [
        '{by, select, unnamed {Un propietario} other {{by}}} restauró {company, select, unnamed {tu empresa} other {la empresa {company}}} en {site}, que estaba eliminada. Sus miembros pueden volver a usarla, con todos sus datos.',
        'Si no lo esperabas, es posible que alguien se haya apoderado de la cuenta de un propietario. Revisa los miembros de tu empresa.',
      ],
      action: 'Abrir {site}',
    },

    policy_loosened: {
      subject:
        'Se relajó la política de acceso de {company, select, unnamed {tu empresa} other {la empresa {company}}}',
      preview: 'Ahora deja entrar a sesiones que antes no dejaba.',
      paragraphs: [
        '{by, select, unnamed {Un miembro} other {{by}}} cambió la política de acceso de {company, select, unnamed {tu empresa} other {la empresa {company}}} en {site}. Ahora pide menos que antes. El registro de auditoría muestra qué cambió.',
        'Si no lo esperabas, es posible que alguien se haya apoderado de una cuenta. Revisa la política y los miembros de tu empresa.',
      ],
      action: 'Abrir {site}',
    },

    policy_tightened: {
      subject:
        'La política de acceso de {company, select, unnamed {tu empresa} other {la empresa {company}}} es más estricta',
      preview: 'Ahora pide más que antes y puede que no te deje entrar.',
      paragraphs: [
        '{by, select, unnamed {Un miembro} other {{by}}} cambió la política de acceso de {company, select, unnamed {tu empresa} other {la empresa {company}}} en {site}. Ahora pide más que antes. Es posible que para abrir la empresa tengas que volver a iniciar sesión, añadir un segundo factor o usar otra red.',
        'Si no lo esperabas, es posible que alguien se haya apoderado de una cuenta. Revisa la política y los miembros de tu empresa. Si no puedes abrirla, contacta enseguida con el soporte de {site}.',
      ],
      action: 'Abrir {site}',
    },

    policy_reset: {
      subject:
        'Se restableció la política de acceso de {company, select, unnamed {tu empresa} other {la empresa {company}}}',
      preview: 'No pide nada hasta que vuelvas a configurarla.',
      paragraphs: [
        'El equipo de {site} restableció la política de acceso de {company, select, unnamed {tu empresa} other {la empresa {company}}}. Hasta que vuelvas a configurarla, la empresa no pide un segundo factor y admite todas las redes.',
        'Si ningún propietario lo pidió, contacta con el soporte de {site}.',
      ],
      action: 'Abrir {site}',
    },

    owners_changed: {
      subject: 'Cambiaron los propietarios de {company, select, unnamed {tu empresa} other {la empresa {company}}}',
      preview: 'Comprueba si lo esperabas.',
      paragraphs: [
        '{change, select, made {{by, select, unnamed {Un propietario} other {{by}}} dio el rol de propietario a {person, select, unnamed {un miembro} other {{person}}}.} added {{by, select, unnamed {Un propietario} other {{by}}} agregó a {person, select, unnamed {un miembro} other {{person}}} con el rol de propietario.} joined {{person, select, unnamed {Un miembro} other {{person}}} se unió con el rol de propietario, por invitación de {by, select, unnamed {un propietario} other {{by}}}.} reactivated {{by, select, unnamed {Un propietario} other {{by}}} reactivó a {person, select, unnamed {un miembro} other {{person}}}, con rol de propietario.} replaced {{by, select, unnamed {Un propietario} other {{by}}} eliminó {person, select, unnamed {un rol} other {el rol {person}}}: ahora todos los que lo tenían son {memberEmails, select, none {propietarios.} other {propietarios, por ejemplo {memberEmails}.}}} transferred {{person, select, unnamed {Un miembro} other {{person}}} aceptó la propiedad de {by, select, unnamed {un propietario} other {{by}}}, que ya no la tiene.} demoted {{by, select, unnamed {Un propietario} other {{by}}} quitó el rol de propietario a {person, select, unnamed {un miembro} other {{person}}}.} deactivated {{by, select, unnamed {Un propietario} other {{by}}} desactivó a {person, select, unnamed {un miembro} other {{person}}}, con rol de propietario.} removed {{by, select, unnamed {Un propietario} other {{by}}} quitó a {person, select, unnamed {un miembro} other {{person}}}, con rol de propietario.} left {{person, select, unnamed {Un miembro} other {{person}}}, con rol de propietario, dejó la empresa.} disabled {El equipo de {site} desactivó la cuenta de {person, select, unnamed {un miembro} other {{person}}}, con rol de propietario.} enabled {El equipo de {site} reactivó la cuenta de {person, select, unnamed {un miembro} other {{person}}}, con rol de propietario.} undone {Se deshizo el cambio de la dirección de correo de {person, select, unnamed {un miembro} other {{person}}}, con rol de propietario. Su membresía queda inactiva hasta que alguien la reactive.} many {Los propietarios cambiaron muchas veces en una hora. Puede haber más cambios de los que no te avisemos por correo.} other {Cambiaron los propietarios.}} {verified, select, no {La nueva dirección de correo con rol de propietario no está verificada. Ocurrió} other {Ocurrió}} en {company, select, unnamed {tu empresa} other {la empresa {company}}} en {site} el {at, date, day} ({at, time, clock}).',
        'Si lo esperabas, no tienes que hacer nada.',
        'Si no lo esperabas, es posible que alguien se haya apoderado de la cuenta de un propietario. Inicia sesión, revisa el registro de auditoría y los miembros de tu empresa, y corrige lo que no esté bien. Si ya no puedes abrir la empresa, contacta con el soporte de {site}.',
      ],
      action: 'Abrir {site}',
    },

    notices_withheld: {
      subject: 'Hay cambios de los que no te avisamos',
      preview: 'Revisa los registros de auditoría de tus empresas.',
      paragraphs: [
        'Cambiaron tantas cosas en tus empresas en {site} en una hora que no te avisamos de todas por correo. {verified, select, no {Para recibir estos correos de más empresas, confirma tu dirección en los ajustes de tu cuenta.} other {Pasada esa hora volveremos a escribirte.}}',
        'Si no lo esperabas, es posible que alguien esté ocultando un cambio entre muchos. Inicia sesión, revisa el registro de auditoría y los propietarios de cada una de tus empresas, y corrige lo que no esté bien.',
      ],
      action: 'Abrir {site}',
      after: [
        'Si nunca creaste una cuenta con esta dirección, otra persona lo hizo. Restablece la contraseña: así se cierran todas las sesiones y la cuenta pasa a ser tuya.',
      ],
      secondAction: 'Restablecer contraseña',
    },

    second_factor_due: {
      subject: '{company, select, unnamed {Tu empresa} other {La empresa {company}}} pide un segundo factor',
      preview: 'Añade uno a tu cuenta de {site} para conservar el acceso.',
      paragraphs: [
        '{company, select, unnamed {Tu empresa} other {La empresa {company}}} en {site} pide a sus miembros un segundo factor, como los códigos de una aplicación o una llave de acceso. Tu cuenta aún no tiene ninguno.',
        'A partir del {until, date, day} ({until, time, clock}) no podrás abrir la empresa sin él. Añádelo en los ajustes de tu cuenta; también podrás hacerlo después de esa fecha.',
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

    mailbox_code: {
      subject: 'Tu código de confirmación',
      preview: 'Escríbelo donde tienes abierta la sesión de {site}.',
      paragraphs: [
        'Alguien con la sesión abierta en tu cuenta de {site} quiere {purpose, select, joining {unirse a una empresa o responder a una invitación} other {agregarle una llave de acceso o una aplicación de autenticación}}. Si eres tú, escribe allí este código. El código es válido durante 15 minutos y sirve una sola vez, solo para esto.',
      ],
      after: [
        'Si no eres tú, otra persona conoce tu contraseña. No le des el código a nadie y restablece tu contraseña: así se cierran todas las sesiones.',
      ],
      secondAction: 'Restablecer contraseña',
    },

    passkey_copied: {
      subject: 'Es posible que hayan copiado una de tus llaves de acceso',
      preview: 'Rechazamos un inicio de sesión en tu cuenta de {site}.',
      paragraphs: [
        '{passkey, select, unnamed {Se usó una de tus llaves de acceso de {site}} other {Se usó tu llave de acceso de {site} llamada {passkey}}}, pero su contador indicaba que ese uso era anterior a otro ya hecho. Es posible que alguien tenga una copia, así que la rechazamos.',
        'También puede ocurrir después de restaurar un dispositivo o una aplicación desde una copia de seguridad. En cualquier caso, quita la llave de acceso de tu cuenta y crea una nueva.',
      ],
      action: 'Abrir {site}',
    },
  },
}
