import type { Texts } from './texts.ts'

export const es: Texts = {
  permissions: {
    'companies:update': 'Cambiar el nombre y los ajustes de la empresa',
    'companies:delete': 'Cerrar la empresa',
    'users:read': 'Ver a los miembros',
    'users:create': 'Añadir miembros',
    'users:update': 'Modificar a los miembros y restablecer sus contraseñas',
    'users:delete': 'Desvincular a miembros',
    'branches:read': 'Ver las sucursales',
    'branches:create': 'Añadir sucursales',
    'branches:update': 'Modificar y mover sucursales',
    'branches:delete': 'Eliminar sucursales',
    'roles:read': 'Ver los roles',
    'roles:create': 'Añadir roles',
    'roles:update': 'Modificar roles',
    'roles:delete': 'Eliminar roles',
    'permissions:read': 'Ver el catálogo de permisos',
    'audit:read': 'Consultar lo que se hizo y lo que se denegó',
  },
  groups: {
    companies: 'Empresa',
    users: 'Personas',
    branches: 'Sucursales',
    roles: 'Roles y permisos',
    permissions: 'Roles y permisos',
    audit: 'Auditoría',
  },
}
