import type en from '../en/roles.ts'
import type { Same } from '../types.ts'

export default {
  title: 'Roles',
  intro: 'Un rol es un conjunto de permisos. Cada miembro puede hacer lo que permiten todos sus roles juntos.',
  create: 'Crear rol',
  builtIn: 'Predefinido',
  builtInTexts: {
    owner:
      'Acceso total, incluso para eliminar la empresa. Una empresa siempre conserva al menos un propietario activo.',
    admin: 'Acceso total, excepto para eliminar la empresa.',
    manager:
      'Puede ver miembros, sucursales, roles y el registro de auditoría, agregar y editar miembros, y administrar sucursales.',
    member: 'Puede ver miembros, sucursales y roles.',
  },
  list: {
    search: 'Buscar roles',
    name: 'Rol',
    permissions: 'Permisos',
    members: 'Miembros',
    memberCount: '{count, plural, one {# miembro} many {# de miembros} other {# miembros}}',
    filter: 'Tipo de rol',
    all: 'Todos los roles',
    onlyBuiltIn: 'Roles predefinidos',
    onlyOwn: 'Roles de tu empresa',
    emptyTitle: 'Todavía no hay roles propios',
    emptyMessage: 'Los roles predefinidos sirven para la mayoría de los equipos. Crea uno donde den de más o de menos.',
    actionsFor: 'Acciones para {name}',
    open: 'Ver rol',
  },
  edit: 'Editar rol',
  duplicate: 'Duplicar rol',
  delete: 'Eliminar rol',
  new: {
    title: 'Rol nuevo',
    intro: 'Nadie lo tiene hasta que se lo des a los miembros.',
    copyOf: 'Copia de {name}',
    created: 'Rol creado',
    leftOut:
      '{count, plural, one {Se omite # permiso de «{name}», porque tú no lo tienes.} many {Se omiten # de permisos de «{name}», porque tú no los tienes.} other {Se omiten # permisos de «{name}», porque tú no los tienes.}}',
  },
  fields: {
    details: 'Detalles',
    name: 'Nombre',
    nameHint: 'Lo que hacen sus miembros, como «Contabilidad».',
    description: 'Descripción',
    permissions: 'Permisos',
    permissionsIntro: 'Lo que pueden hacer los miembros con este rol.',
    chosen: '{count, number} de {total, number} seleccionados',
    selectAll: 'Seleccionar todo',
    selectAllOf: 'Seleccionar todo: {group}',
    clear: 'Quitar todo',
    clearOf: 'Quitar todo: {group}',
    needed: 'Sin esto, quienes tengan este rol no pueden abrir la página para lo demás.',
    notYours: 'No puedes dar este permiso: tú no lo tienes.',
    included: 'Incluido',
    notIncluded: 'No incluido',
  },
  readOnly: {
    system:
      'Todas las empresas tienen este rol y no se puede cambiar ni eliminar. Duplícalo para partir de los mismos permisos.',
    systemPlain: 'Todas las empresas tienen este rol y no se puede cambiar ni eliminar.',
    above: 'Este rol da permisos que tú no tienes, por eso no puedes cambiarlo ni eliminarlo.',
    notAllowed: 'Puedes ver este rol. Para cambiarlo se necesita el permiso «Editar roles».',
  },
  holders: {
    none: 'Ningún miembro tiene este rol.',
    count:
      '{count, plural, one {# miembro tiene este rol.} many {# de miembros tienen este rol.} other {# miembros tienen este rol.}}',
    link: 'Ver miembros',
    give: 'Asignar rol',
    add: 'Agregar miembro nuevo',
    giveTitle: 'Asignar «{name}» a un miembro',
    giveIntro: 'El miembro conserva los roles que tiene.',
    has: 'tiene este rol',
    given: '{member} ahora tiene el rol {name}',
  },
  save: {
    unsaved: 'Tienes cambios sin guardar.',
    preview: 'Antes de guardar verás quién gana y quién pierde qué.',
    review: 'Revisar cambios',
    discard: 'Descartar',
    saved: 'Rol guardado',
  },
  impact: {
    title: '¿Guardar estos cambios?',
    intro:
      'Se aplican de inmediato a {count, plural, one {# miembro} many {# de miembros} other {# miembros}}. Los permisos que dan otros roles se conservan.',
    gains: 'Miembros que ganan',
    loses: 'Miembros que pierden',
    people: '{count, plural, one {# miembro} many {# de miembros} other {# miembros}}',
    more: 'y {count, plural, one {# más} many {# de más} other {# más}}',
    none: 'Nadie gana ni pierde nada.',
    joining:
      '{count, plural, one {# invitación pendiente, enlace o dominio también da este rol.} many {# de invitaciones pendientes, enlaces o dominios también dan este rol.} other {# invitaciones pendientes, enlaces o dominios también dan este rol.}}',
    self: 'Tú también pierdes permisos. Otra persona tendrá que devolvértelos.',
    you: 'tú',
  },
  remove: {
    title: '¿Eliminar «{name}»?',
    unused: 'Ningún miembro lo tiene, así que nadie pierde nada. No se puede deshacer.',
    inUse:
      '{count, plural, one {# miembro tiene este rol y recibe otro en su lugar.} many {# de miembros tienen este rol y reciben otro en su lugar.} other {# miembros tienen este rol y reciben otro en su lugar.}} No se puede deshacer.',
    joining:
      'Ningún miembro lo tiene, pero hay invitaciones pendientes, enlaces o dominios que lo dan. Darán otro en su lugar. No se puede deshacer.',
    replacement: 'Rol que se da en su lugar',
    choose: 'Elige un rol',
    tooMuch: '{name} (más de lo que puedes dar)',
    deleted: 'Rol eliminado',
    onlyRole: 'No puedes dar ningún otro rol, así que este no se puede eliminar mientras esté en uso.',
  },
} satisfies Same<typeof en>
