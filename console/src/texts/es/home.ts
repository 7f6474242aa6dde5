import type en from '../en/home.ts'
import type { Same } from '../types.ts'

export default {
  title: 'Inicio',
  greeting: 'Hola, {name}',
  company: 'Lo que pasa en {company}',
  attention: 'Requiere tu atención',
  nothing: { title: 'Todo en calma', message: 'Nada requiere tu atención en este momento.' },
  unconfirmed: {
    title: 'Confirma tu correo electrónico',
    message: 'Confirma que {email} es tuyo, para que podamos contactarte sobre tu cuenta.',
    action: 'Enviar enlace',
    sent: 'Va en camino un enlace a {email}.',
  },
  pendingEmail: {
    title: 'Confirma tu nuevo correo electrónico',
    message: 'Abre el enlace que enviamos a {email}. Hasta entonces inicias sesión con tu dirección actual.',
    action: 'Ver configuración del correo',
  },
  secondFactor: {
    title: 'Configura un segundo factor',
    message:
      'A partir del {day}, {company} solo se podrá abrir con un segundo factor. Agrega antes una llave de acceso o una aplicación de autenticación.',
    action: 'Abrir la configuración de seguridad',
  },
  alone: {
    title: 'Invita a tu primer miembro',
    message: 'Por ahora solo estás tú. Invita a las personas con quienes trabajas y elige qué puede hacer cada una.',
    action: 'Invitar miembros',
  },
  transfer: {
    title: 'Hay una transferencia del rol de propietario en curso',
    message: 'De {from} a {to}. Abre la configuración para verla.',
    action: 'Ver transferencia',
  },
  requests: {
    title: 'Alguien solicitó unirse',
    message:
      '{others, plural, =0 {{name} espera una decisión.} one {{name} y una persona más esperan una decisión.} many {{name} y # personas más esperan una decisión.} other {{name} y # personas más esperan una decisión.}}',
    action: 'Ver solicitudes',
  },
  shortcuts: 'Accesos directos',
  members: {
    title: 'Miembros',
    message: 'Agrega personas y elige sus roles y sucursales.',
    view: 'Mira quiénes trabajan aquí y con qué roles.',
  },
  roles: { title: 'Roles', message: 'Decide qué puede hacer cada rol.' },
  branches: { title: 'Sucursales', message: 'Ordena tus sedes en un solo árbol.' },
  audit: { title: 'Registro de auditoría', message: 'Mira quién cambió qué y comprueba que nada se alteró.' },
  settings: { title: 'Configuración', message: 'Nombre, zona horaria, rol de propietario.' },
  choose: { title: 'Tus empresas', intro: 'Elige dónde quieres trabajar.', roles: 'Tus roles: {roles}' },
  noCompanies: {
    title: 'No formas parte de ninguna empresa',
    message:
      'Crea una o pide a un administrador que agregue {email}. Si ya estabas en una, pregunta si tu membresía sigue activa.',
    action: 'Crear empresa',
  },
} satisfies Same<typeof en>
