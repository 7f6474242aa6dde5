import type en from '../en/companies.ts'
import type { Same } from '../types.ts'

export default {
  create: {
    title: 'Crear empresa',
    intro: 'Serás su propietario. Los miembros, roles y datos de tus otras empresas quedan separados de ella.',
    name: 'Nombre de la empresa',
    taxId: 'Identificación fiscal',
    taxIdHint: 'El número con el que la empresa está registrada para impuestos.',
    submit: 'Crear empresa',
    nameMissing: 'Ingresa el nombre de la empresa.',
    taxIdMissing: 'Ingresa la identificación fiscal de la empresa.',
    created: '{company} se creó',
  },
  deleted: {
    title: 'Empresas eliminadas',
    intro: 'Un propietario puede restaurar una empresa durante 30 días. Después se elimina de forma definitiva.',
    empty: 'No hay empresas eliminadas',
    emptyMessage: 'Aquí aparecen las empresas que todavía puedes restaurar como propietario.',
    name: 'Empresa',
    since: 'Eliminada',
    until: 'Se puede restaurar hasta',
    left: '{day} ({ago})',
    restore: 'Restaurar',
    restoreTitle: '¿Restaurar {company}?',
    restoreIntro:
      'Sus miembros recuperan el acceso de inmediato. Una transferencia pendiente del rol de propietario no se restaura.',
    restoreAction: 'Restaurar la empresa',
    restored: '{company} se restauró',
  },
  suspended: {
    title: '{company} está suspendida',
    message:
      'El operador de este servicio suspendió la empresa: hasta que eso termine, nadie puede abrirla. Todos sus datos se conservan.',
    next: 'Contacta a soporte para saber por qué. No tienes que hacer nada más; también puedes dejar la empresa.',
    leave: 'Dejar la empresa',
    check: 'Comprobar de nuevo',
    still: 'La empresa sigue suspendida',
  },
  unopened: {
    title: '{company} te agregó',
    message:
      'Cualquiera puede darle este nombre a una empresa. El correo sobre ella dice quién te agregó: ábrela solo si conoces a esa persona.',
    next: 'Hasta que la abras, la empresa solo ve tu nombre y tu correo electrónico. Cuando la abras, también verá tu teléfono, tu cargo y tu imagen, si inicias sesión como pide su política, y cuándo y desde qué red usaste tu cuenta por última vez.',
    creator:
      'Creó tu cuenta. Hasta que elijas otra contraseña con «¿Olvidaste tu contraseña?», ve si tienes un segundo factor, y es posible que sus administradores puedan cambiar tu contraseña y quitar tus segundos factores. Cuando la abras, podrán de nuevo, y también verá tu teléfono, tu cargo y tu imagen, si inicias sesión como pide su política, y cuándo y desde qué red usaste tu cuenta por última vez.',
    open: 'Abrir la empresa',
    leave: 'Dejar la empresa',
  },
} satisfies Same<typeof en>
