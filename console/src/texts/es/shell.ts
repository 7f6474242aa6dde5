import type en from '../en/shell.ts'
import type { Same } from '../types.ts'

export default {
  skip: 'Ir al contenido',
  navigation: 'Navegación principal',
  openNavigation: 'Abrir navegación',
  closeNavigation: 'Cerrar navegación',
  home: 'Inicio',
  members: 'Miembros',
  roles: 'Roles',
  branches: 'Sucursales',
  audit: 'Registro de auditoría',
  settings: 'Configuración',
  switchCompany: 'Cambiar de empresa',
  companies: 'Empresas',
  createCompany: 'Crear empresa',
  joinCompany: 'Invitaciones y acceso',
  deletedCompanies: 'Empresas eliminadas',
  suspended: 'Suspendida',
  locked: 'Bloqueada',
  unopened: 'Sin abrir',
  accountMenu: 'Menú de la cuenta',
  account: 'Tu cuenta',
  scheme: 'Apariencia',
  schemeSystem: 'Igual que el dispositivo',
  schemeLight: 'Clara',
  schemeDark: 'Oscura',
  documentation: 'Documentación de la API',
  mailbox: 'Correos de desarrollo',
  signOut: 'Cerrar sesión',
  offline: 'No tienes conexión. No se pueden guardar cambios hasta que vuelva.',
  rateLimited: 'Demasiadas solicitudes. La carga continúa en {seconds, plural, one {# segundo} other {# segundos}}.',
  rateLimitedHint: 'RATE_LIMIT_SIGNED_IN_PER_MINUTE permite más solicitudes a quienes iniciaron sesión.',
  notFound: {
    title: 'Página no encontrada',
    message: 'La dirección puede estar mal o la página puede haber cambiado de lugar.',
    home: 'Ir al inicio',
  },
  noCompany: {
    title: 'No formas parte de esta empresa',
    message:
      'Puede que la empresa se haya eliminado o que tu membresía haya terminado. También puede que la dirección esté mal.',
    choose: 'Abrir mi empresa',
  },
  closed: {
    next: 'En cuanto lo hagas, continúas donde estabas. Tus otras empresas siguen igual.',
    leave: 'Dejar la empresa',
    check: 'Comprobar de nuevo',
    still: 'La empresa sigue bloqueada para ti',
    enroll: {
      title: '{company} pide un segundo factor',
      message:
        'Su política te pide algo más que una contraseña: una llave de acceso en tu dispositivo o los códigos de una aplicación de autenticación.',
    },
    prove: {
      title: '{company} pide tu segundo factor',
      message: 'Iniciaste esta sesión sin él. Confirma una vez que eres tú.',
      action: 'Confirmar que soy yo',
    },
    proveAgain: {
      title: '{company} pide que confirmes de nuevo que eres tú',
      message: 'Su política lo pide después de cierto tiempo o después de una pausa.',
    },
    password: {
      title: '{company} pide una contraseña más segura',
      message: 'La contraseña con la que iniciaste sesión es demasiado común o corta para su política.',
      action: 'Cambiar contraseña',
    },
    network: {
      title: '{company} no se puede usar desde esta red',
      message:
        'Su política solo admite ciertas redes, como la de tu oficina. Cambia de red y comprueba de nuevo. Si ningún propietario puede entrar, contacta a soporte.',
    },
    other: {
      title: '{company} está bloqueada para ti',
      message: 'Su política no admite esta sesión. Pregunta a un administrador de la empresa.',
    },
  },
  forbidden: {
    title: 'No tienes permiso para ver esto',
    message: 'Pide el permiso «{permission}» a un administrador de tu empresa.',
  },
  unloaded: { title: 'No tienes conexión', message: 'Esta página se abre sola cuando vuelva la conexión.' },
  wait: { title: 'Un momento', message: 'Esta página se abre sola en cuanto el servicio vuelva a responder.' },
  broken: {
    title: 'Esta página dejó de funcionar',
    message: 'Recárgala. Si no ayuda, cuéntale a soporte qué estabas haciendo.',
  },
} satisfies Same<typeof en>
