import type en from '../en/auth.ts'
import type { Same } from '../types.ts'

export default {
  signIn: {
    title: 'Iniciar sesión',
    intro: 'Te damos la bienvenida de nuevo a {site}.',
    submit: 'Iniciar sesión',
    or: 'o',
    passkey: 'Iniciar sesión con una llave de acceso',
    forgotten: '¿Olvidaste tu contraseña?',
    noAccount: '¿Aún no tienes una cuenta?',
    signUp: 'Crear cuenta',
    ended: 'Tu sesión terminó. Inicia sesión de nuevo para continuar donde estabas.',
  },
  signUp: {
    title: 'Crea tu cuenta',
    intro: 'Una cuenta para ti y la primera empresa que administras con ella.',
    joining: 'Cada cuenta empieza con una empresa propia. Después de este paso te unes a la empresa {company}.',
    company: 'Tu empresa',
    submit: 'Crear cuenta',
    hasAccount: '¿Ya tienes una cuenta?',
    signIn: 'Iniciar sesión',
  },
  fields: {
    name: 'Tu nombre',
    email: 'Correo electrónico',
    password: 'Contraseña',
    newPassword: 'Contraseña nueva',
    currentPassword: 'Contraseña actual',
    temporaryPassword: 'Contraseña temporal',
    companyName: 'Nombre de la empresa',
    taxId: 'Identificación fiscal',
    taxIdHint: 'El número con el que tu empresa está registrada para los impuestos.',
  },
  compromised: {
    label: 'Puede que otra persona haya usado mi cuenta',
    hint: 'Así también dejan de funcionar las invitaciones, los enlaces y las contraseñas temporales que se dieron desde ella.',
    again: 'También aquí vuelves a iniciar sesión.',
  },
  secondFactor: {
    title: 'Confirma que eres tú',
    submit: 'Iniciar sesión',
    back: 'Usar otra cuenta',
  },
  proofs: {
    passkey: {
      intro: 'Tu dispositivo te pide la huella, el rostro o su PIN.',
      label: 'Usar llave de acceso',
      choose: 'Usar una llave de acceso',
    },
    totp: {
      intro: 'Ingresa el código que muestra ahora tu aplicación de autenticación.',
      label: 'Código',
      missing: 'Ingresa los seis dígitos de tu aplicación.',
      choose: 'Usar la aplicación de autenticación',
    },
    recovery_code: {
      intro: 'Ingresa uno de los códigos de recuperación que guardaste. Cada uno sirve una sola vez.',
      label: 'Código de recuperación',
      missing: 'Ingresa un código de recuperación.',
      wrong:
        'Este código de recuperación no es correcto o ya se usó. Después de varios intentos, inicia sesión de nuevo.',
      choose: 'Usar un código de recuperación',
    },
    password: {
      intro: 'Ingresa tu contraseña.',
      label: 'Contraseña',
      missing: 'Ingresa tu contraseña.',
      choose: 'Usar tu contraseña',
    },
  },
  stepUp: {
    title: 'Confirma que eres tú',
    intro: 'Después continúa lo que pediste.',
    submit: 'Confirmar',
  },
  changePassword: {
    title: 'Elige tu propia contraseña',
    intro: 'Iniciaste sesión con una contraseña temporal. Reemplázala para continuar.',
    submit: 'Guardar contraseña',
    signOut: 'Cerrar sesión',
  },
  rules: {
    title: 'Tu contraseña necesita:',
    length: 'De 8 a 128 caracteres',
    uppercase: 'Una letra mayúscula',
    lowercase: 'Una letra minúscula',
    digit: 'Un número',
    met: 'cumplido',
    notMet: 'pendiente',
    missing: 'Esta contraseña todavía no cumple todos los requisitos.',
  },
  required: {
    name: 'Ingresa tu nombre.',
    email: 'Ingresa una dirección de correo como ana@example.com.',
    password: 'Ingresa tu contraseña.',
    companyName: 'Ingresa el nombre de tu empresa.',
    taxId: 'Ingresa la identificación fiscal de tu empresa.',
  },
} satisfies Same<typeof en>
