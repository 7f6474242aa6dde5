import type en from '../en/companies.ts'
import type { Same } from '../types.ts'

export default {
  create: {
    title: 'Criar empresa',
    intro: 'Você será o proprietário. Membros, funções e dados das suas outras empresas ficam separados dela.',
    name: 'Nome da empresa',
    taxId: 'Identificação fiscal',
    taxIdHint: 'O número com que a empresa está registrada para impostos.',
    submit: 'Criar empresa',
    nameMissing: 'Digite o nome da empresa.',
    taxIdMissing: 'Digite a identificação fiscal da empresa.',
    created: '{company} foi criada',
  },
  deleted: {
    title: 'Empresas excluídas',
    intro: 'Um proprietário pode restaurar uma empresa por 30 dias. Depois disso, ela é excluída definitivamente.',
    empty: 'Nenhuma empresa excluída',
    emptyMessage: 'Aqui aparecem as empresas que você ainda pode restaurar como proprietário.',
    name: 'Empresa',
    since: 'Excluída',
    until: 'Pode ser restaurada até',
    left: '{day} ({ago})',
    restore: 'Restaurar',
    restoreTitle: 'Restaurar {company}?',
    restoreIntro:
      'Os membros recuperam o acesso imediatamente. Uma transferência pendente da função de proprietário não é restaurada.',
    restoreAction: 'Restaurar a empresa',
    restored: '{company} foi restaurada',
  },
  suspended: {
    title: '{company} está suspensa',
    message:
      'O operador deste serviço suspendeu a empresa: até que isso termine, ninguém pode abri-la. Todos os dados são mantidos.',
    next: 'Fale com o suporte para saber o motivo. Você não precisa fazer mais nada; também pode sair da empresa.',
    leave: 'Sair da empresa',
    check: 'Verificar de novo',
    still: 'A empresa continua suspensa',
  },
  unopened: {
    title: '{company} adicionou você',
    message:
      'Qualquer pessoa pode dar este nome a uma empresa. O e-mail sobre ela diz quem adicionou você: abra-a somente se você conhece essa pessoa.',
    next: 'Até você abri-la, a empresa vê apenas seu nome e seu e-mail. Depois, ela também vê seu telefone, seu cargo e sua imagem, se você entra como a política dela pede, e quando e de qual rede usou sua conta pela última vez.',
    creator:
      'Ela criou sua conta. Até você escolher uma nova senha em “Esqueceu sua senha?”, ela vê se você tem um segundo fator, e os administradores dela talvez possam definir sua senha e remover seus segundos fatores. Depois que você a abrir, eles poderão de novo, e ela também vê seu telefone, seu cargo e sua imagem, se você entra como a política dela pede, e quando e de qual rede usou sua conta pela última vez.',
    open: 'Abrir a empresa',
    leave: 'Sair da empresa',
  },
} satisfies Same<typeof en>
