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
  locked: 'Bloqueada',
  unopened: 'Não aberta',
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
  closed: {
    next: 'Assim que fizer isso, você continua de onde parou. Suas outras empresas seguem como estão.',
    leave: 'Sair da empresa',
    check: 'Verificar de novo',
    still: 'A empresa continua bloqueada para você',
    enroll: {
      title: '{company} pede um segundo fator',
      message:
        'A política dela pede mais do que uma senha: uma chave de acesso no seu dispositivo ou os códigos de um aplicativo autenticador.',
    },
    prove: {
      title: '{company} pede seu segundo fator',
      message: 'Você entrou nesta sessão sem ele. Confirme uma vez que é você.',
      action: 'Confirmar que sou eu',
    },
    proveAgain: {
      title: '{company} pede de novo que você confirme que é você',
      message: 'A política dela pede isso depois de algum tempo ou depois de uma pausa.',
    },
    password: {
      title: '{company} pede uma senha mais forte',
      message: 'A senha com que você entrou é comum ou curta demais para a política dela.',
      action: 'Alterar senha',
    },
    network: {
      title: '{company} não pode ser usada desta rede',
      message:
        'A política dela só aceita certas redes, como a do seu escritório. Mude de rede e verifique de novo. Se nenhum proprietário consegue mais entrar, fale com o suporte.',
    },
    other: {
      title: '{company} está bloqueada para você',
      message: 'A política dela não aceita esta sessão. Fale com um administrador da empresa.',
    },
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
