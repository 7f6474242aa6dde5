import type { Texts } from './texts.ts'

export const es: Texts = {
  permissions: {
    'companies:update': 'Editar el nombre y la configuración de la empresa',
    'companies:delete': 'Eliminar la empresa',
    'users:read': 'Ver miembros',
    'users:create': 'Agregar miembros',
    'users:update': 'Editar miembros y restablecer sus contraseñas',
    'users:delete': 'Quitar miembros',
    'branches:read': 'Ver sucursales',
    'branches:create': 'Agregar sucursales',
    'branches:update': 'Editar y mover sucursales',
    'branches:delete': 'Eliminar sucursales',
    'roles:read': 'Ver roles',
    'roles:create': 'Crear roles',
    'roles:update': 'Editar roles',
    'roles:delete': 'Eliminar roles',
    'permissions:read': 'Ver la lista de permisos',
    'audit:read': 'Ver el registro de auditoría',
  },
  groups: {
    companies: 'Empresa',
    users: 'Miembros',
    branches: 'Sucursales',
    roles: 'Roles y permisos',
    permissions: 'Roles y permisos',
    audit: 'Registro de auditoría',
  },
}
