import type { Texts } from './texts.ts'

export const pt: Texts = {
  permissions: {
    'companies:update': 'Alterar o nome e as configurações da empresa',
    'companies:delete': 'Encerrar a empresa',
    'users:read': 'Ver os membros',
    'users:create': 'Adicionar membros',
    'users:update': 'Alterar membros e redefinir suas senhas',
    'users:delete': 'Desvincular membros',
    'branches:read': 'Ver as filiais',
    'branches:create': 'Adicionar filiais',
    'branches:update': 'Alterar e mover filiais',
    'branches:delete': 'Excluir filiais',
    'roles:read': 'Ver as funções',
    'roles:create': 'Adicionar funções',
    'roles:update': 'Alterar funções',
    'roles:delete': 'Excluir funções',
    'permissions:read': 'Ver o catálogo de permissões',
    'audit:read': 'Consultar o que foi feito e o que foi recusado',
  },
  groups: {
    companies: 'Empresa',
    users: 'Pessoas',
    branches: 'Filiais',
    roles: 'Funções e permissões',
    permissions: 'Funções e permissões',
    audit: 'Auditoria',
  },
}
