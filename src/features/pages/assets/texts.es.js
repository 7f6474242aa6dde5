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
  'has characters that are not allowed': 'La contraseña tiene caracteres no permitidos.',
  'must not be the e-mail address': 'La contraseña no puede ser la dirección de correo electrónico.',
  'is among the commonest passwords': 'La contraseña es una de las más comunes.',
}

/** Addresses the reader as «tú», like the letters. */
export default {
  trouble: {
    tooManyRequests: (seconds) =>
      `Demasiadas solicitudes. ${seconds > 0 ? wait(seconds) : 'Espera un momento e inténtalo de nuevo.'}`,
    waitIsOver: 'Ya puedes intentarlo de nuevo.',
    noAnswer: 'No pudimos comunicarnos con el servicio. Revisa tu conexión e inténtalo de nuevo.',
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
    title: 'Confirma tu dirección de correo electrónico',
    heading: 'Confirma tu dirección',
    intro: 'Con un clic sabremos que este buzón es tuyo.',
    submit: 'Confirmar dirección',
    busy: 'Confirmando…',
    confirmed: {
      heading: 'Dirección confirmada',
      message: 'Gracias. A partir de ahora inicias sesión con esta dirección. Puedes cerrar esta página.',
    },
    linkMissing: {
      heading: 'Este enlace está incompleto',
      message:
        'Le falta la parte secreta, como ocurre al recargar esta página. Vuelve a abrir el enlace que está en el mensaje.',
    },
    linkInvalid: {
      heading: 'Este enlace ya no funciona',
      message:
        'Ya se usó, un mensaje más reciente lo reemplazó o su plazo terminó. Si ya confirmaste tu dirección, no hace ' +
        'falta nada más. Si no, inicia sesión y pide un mensaje nuevo.',
    },
    taken: {
      heading: 'Esta dirección ya está en uso',
      message:
        'Mientras tanto se abrió otra cuenta con esta dirección. Nada ha cambiado: tu cuenta conserva la dirección que ' +
        'tiene.',
    },
  },

  choosePassword: {
    title: 'Elige una contraseña nueva',
    heading: 'Elige una contraseña nueva',
    intro: 'Reemplaza a la anterior, y se cerrarán todas las sesiones de tu cuenta.',
    label: 'Contraseña nueva',
    submit: 'Guardar contraseña',
    busy: 'Guardando…',
    reveal: { label: 'Mostrar', name: 'Mostrar la contraseña' },
    conceal: { label: 'Ocultar', name: 'Ocultar la contraseña' },
    rules: {
      length: 'De 8 a 128 caracteres',
      uppercase: 'Una letra mayúscula',
      lowercase: 'Una letra minúscula',
      digit: 'Un número',
    },
    kept: 'cumplida',
    notKept: 'pendiente',
    blank: 'Escribe una contraseña nueva.',
    rulesNotKept: 'Esta contraseña todavía no cumple todas las reglas.',
    unchanged: 'Esta es la contraseña que tienes ahora. Elige otra.',
    refused: (reason) => reasons[reason] ?? 'Esta contraseña no se puede usar. Elige otra.',
    saved: {
      heading: 'Contraseña cambiada',
      message:
        'Se cerraron todas las sesiones de tu cuenta, en todos los dispositivos. Ya puedes iniciar sesión con tu ' +
        'contraseña nueva.',
    },
    linkInvalid: {
      heading: 'Este enlace ya no funciona',
      message:
        'Ya se usó, un mensaje más reciente lo reemplazó o pasaron sus 15 minutos. Si acabas de elegir una contraseña, ' +
        'prueba a iniciar sesión con ella.',
      next: 'Pedir un enlace nuevo',
    },
  },

  askForLink: {
    title: 'Restablece tu contraseña',
    heading: 'Restablece tu contraseña',
    intro:
      'Dinos la dirección de correo electrónico de tu cuenta. Te enviaremos un enlace para elegir una contraseña nueva.',
    label: 'Correo electrónico',
    submit: 'Enviar enlace',
    busy: 'Enviando…',
    malformed: 'Escribe una dirección de correo electrónico como ana@example.com.',
    asked: (email) => ({
      heading: 'Revisa tu buzón',
      message:
        `Si hay una cuenta con ${email}, va en camino un mensaje con un enlace. El enlace funciona una sola vez, ` +
        'durante 15 minutos. Si no llega nada, revisa también la carpeta de correo no deseado.',
      next: 'Usar otra dirección',
    }),
  },
}
