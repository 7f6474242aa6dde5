import type en from '../en/shell.ts'
import type { Same } from '../types.ts'

export default {
  skip: 'Ir para o conteúdo',
  navigation: 'Navegação principal',
  openNavigation: 'Abrir navegação',
  closeNavigation: 'Fechar navegação',
  home: 'Início',
  members: 'Membros',
  roles: 'Funções',
  branches: 'Filiais',
  audit: 'Registro de auditoria',
  settings: 'Configurações',
  switchCompany: 'Trocar de empresa',
  companies: 'Empresas',
  createCompany: 'Criar empresa',
  joinCompany: 'Convites e participação',
  deletedCompanies: 'Empresas excluídas',
  suspended: 'Suspensa',
  accountMenu: 'Menu da conta',
  account: 'Sua conta',
  scheme: 'Aparência',
  schemeSystem: 'Igual ao dispositivo',
  schemeLight: 'Clara',
  schemeDark: 'Escura',
  documentation: 'Documentação da API',
  mailbox: 'E-mails de desenvolvimento',
  signOut: 'Sair',
  offline: 'Você está sem conexão. Nada pode ser salvo até que ela volte.',
  rateLimited: 'Muitas solicitações. O carregamento continua em {seconds, plural, one {# segundo} other {# segundos}}.',
  rateLimitedHint: 'RATE_LIMIT_SIGNED_IN_PER_MINUTE permite mais solicitações a quem entrou.',
  notFound: {
    title: 'Página não encontrada',
    message: 'O endereço pode estar errado, ou a página pode ter mudado de lugar.',
    home: 'Ir para o início',
  },
  noCompany: {
    title: 'Você não faz parte desta empresa',
    message:
      'A empresa pode ter sido excluída, ou sua participação pode ter terminado. O endereço também pode estar errado.',
    choose: 'Abrir minha empresa',
  },
  forbidden: {
    title: 'Você não tem permissão para ver isto',
    message: 'Peça a permissão “{permission}” a um administrador da sua empresa.',
  },
  unloaded: { title: 'Você está sem conexão', message: 'Esta página abre sozinha quando a conexão voltar.' },
  wait: { title: 'Um momento', message: 'Esta página abre sozinha assim que o serviço voltar a responder.' },
  broken: {
    title: 'Esta página parou de funcionar',
    message: 'Recarregue a página. Se não ajudar, conte ao suporte o que você estava fazendo.',
  },
} satisfies Same<typeof en>
