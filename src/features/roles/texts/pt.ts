import type { Texts } from './texts.ts'

export const pt: Texts = {
  permissions: {
    'companies:update': 'Editar o nome e as configurações da empresa',
    'companies:delete': 'Excluir a empresa',
    'users:read': 'Ver membros',
    'users:create': 'Adicionar membros',
    'users:update': 'Editar membros e redefinir suas senhas',
    'users:delete': 'Remover membros',
    'branches:read': 'Ver filiais',
    'branches:create': 'Adicionar filiais',
    'branches:update': 'Editar e mover filiais',
    'branches:delete': 'Excluir filiais',
    'roles:read': 'Ver funções',
    'roles:create': 'Criar funções',
    'roles:update': 'Editar funções',
    'roles:delete': 'Excluir funções',
    'permissions:read': 'Ver a lista de permissões',
    'audit:read': 'Ver o registro de auditoria',
  },
  groups: {
    companies: 'Empresa',
    users: 'Membros',
    branches: 'Filiais',
    roles: 'Funções e permissões',
    permissions: 'Funções e permissões',
    audit: 'Registro de auditoria',
  },
}
