import type en from '../en/links.ts'
import type { Same } from '../types.ts'

export default {
  checking: 'Comprobando el enlace…',
  linkMissing: {
    heading: 'Este enlace está incompleto',
    message: 'Falta una parte del enlace; también ocurre al recargar esta página. Vuelve a abrir el enlace del correo.',
  },
  confirmAddress: {
    heading: 'Confirma tu correo electrónico',
    intro: 'Haz clic en el botón para confirmar que esta dirección de correo es tuya.',
    submit: 'Confirmar correo',
    confirmed: {
      heading: 'Correo confirmado',
      message: 'A partir de ahora, inicia sesión con esta dirección. Ya puedes cerrar esta página.',
      signedIn: 'Continúa aquí, o cierra esta página y vuelve a donde estabas.',
    },
    linkInvalid: {
      heading: 'Este enlace ya no funciona',
      message:
        'Ya se usó, venció, o lo reemplazó un correo o una contraseña más reciente. Si ya confirmaste tu dirección, no tienes que hacer nada más. Si no, solicita un enlace nuevo.',
    },
    taken: {
      heading: 'Esta dirección ya está en uso',
      message:
        'Mientras tanto, otra cuenta empezó a usar esta dirección. Nada cambió: tu cuenta conserva su dirección actual.',
    },
  },
  newLink: {
    intro:
      'Si acabas de registrarte, ingresa tu correo electrónico y te enviaremos un enlace nuevo. Si estás cambiando tu dirección, inicia sesión y solicita ahí un enlace nuevo.',
    submit: 'Enviar enlace nuevo',
    asked: {
      heading: 'Revisa tu bandeja de entrada',
      message:
        'Si {email} pertenece a una cuenta y aún no está confirmado, recibirás un correo con un enlace nuevo. El enlace es válido durante 24 horas y se puede usar una sola vez. Si no lo ves, revisa la carpeta de spam o correo no deseado.',
    },
  },
  restoreAddress: {
    heading: 'Restaura tu correo electrónico',
    intro:
      'El correo electrónico de tu cuenta se cambió. Si no fuiste tú, restaura tu dirección anterior: así se cerrará la sesión en todos los dispositivos y te enviaremos un enlace para elegir una contraseña nueva.',
    submit: 'Restaurar correo',
    restored: {
      heading: 'Correo restaurado',
      message:
        'Tu cuenta vuelve a usar tu dirección anterior y se cerró la sesión en todos los dispositivos. Revisa tu bandeja de entrada: va en camino un correo con un enlace para elegir una contraseña nueva.',
    },
    linkInvalid: {
      heading: 'Este enlace ya no funciona',
      message:
        'Ya se usó, venció o un correo más reciente lo reemplazó. Si no puedes entrar en tu cuenta, contacta a soporte.',
    },
    taken: {
      heading: 'Esta dirección ya está en uso',
      message:
        'Mientras tanto, otra cuenta empezó a usar tu dirección anterior. Nada cambió. Contacta a soporte para recuperar tu cuenta.',
    },
  },
  choosePassword: {
    heading: 'Elige una contraseña nueva',
    intro: 'Reemplazará tu contraseña actual y cerrará tu sesión en todos los dispositivos.',
    submit: 'Guardar contraseña',
    saved: {
      heading: 'Contraseña cambiada',
      message: 'Se cerró tu sesión en todos los dispositivos. Ya puedes iniciar sesión con tu contraseña nueva.',
    },
    linkInvalid: {
      heading: 'Este enlace ya no funciona',
      message:
        'Ya se usó, un correo más reciente lo reemplazó o pasaron más de 15 minutos. Si acabas de elegir una contraseña, intenta iniciar sesión con ella.',
      next: 'Solicitar un enlace nuevo',
    },
  },
  askForLink: {
    heading: 'Restablece tu contraseña',
    intro: 'Ingresa el correo electrónico de tu cuenta y te enviaremos un enlace para elegir una contraseña nueva.',
    submit: 'Enviar enlace',
    asked: {
      heading: 'Revisa tu bandeja de entrada',
      message:
        'Si existe una cuenta con {email}, recibirás un correo con un enlace. El enlace es válido durante 15 minutos y se puede usar una sola vez. Si no lo ves, revisa la carpeta de spam o correo no deseado.',
      next: 'Usar otra dirección',
    },
  },
} satisfies Same<typeof en>
