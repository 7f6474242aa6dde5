import type en from '../en/roles.ts'
import type { Same } from '../types.ts'

export default {
  title: 'Funções',
  intro: 'Uma função é um conjunto de permissões. Cada membro pode fazer o que todas as suas funções juntas permitem.',
  create: 'Criar função',
  builtIn: 'Predefinida',
  builtInTexts: {
    owner:
      'Acesso total, inclusive para excluir a empresa. Uma empresa sempre mantém pelo menos um proprietário ativo.',
    admin: 'Acesso total, exceto para excluir a empresa.',
    manager:
      'Pode ver membros, filiais, funções e o registro de auditoria, adicionar e editar membros e gerenciar filiais.',
    member: 'Pode ver membros, filiais e funções.',
  },
  list: {
    search: 'Buscar funções',
    name: 'Função',
    permissions: 'Permissões',
    members: 'Membros',
    memberCount: '{count, plural, one {# membro} many {# de membros} other {# membros}}',
    filter: 'Tipo de função',
    all: 'Todas as funções',
    onlyBuiltIn: 'Funções predefinidas',
    onlyOwn: 'Funções da sua empresa',
    emptyTitle: 'Ainda não há funções próprias',
    emptyMessage:
      'As funções predefinidas servem para a maioria das equipes. Crie uma onde elas derem de mais ou de menos.',
    actionsFor: 'Ações para {name}',
    open: 'Ver função',
  },
  edit: 'Editar função',
  duplicate: 'Duplicar função',
  delete: 'Excluir função',
  new: {
    title: 'Nova função',
    intro: 'Ninguém a tem até você dá-la aos membros.',
    copyOf: 'Cópia de {name}',
    created: 'Função criada',
    leftOut:
      '{count, plural, one {# permissão de “{name}” fica de fora, porque você não a tem.} many {# de permissões de “{name}” ficam de fora, porque você não as tem.} other {# permissões de “{name}” ficam de fora, porque você não as tem.}}',
  },
  fields: {
    details: 'Detalhes',
    name: 'Nome',
    nameHint: 'O que os membros dela fazem, como “Contabilidade”.',
    description: 'Descrição',
    permissions: 'Permissões',
    permissionsIntro: 'O que os membros com esta função podem fazer.',
    chosen: '{count, number} de {total, number} selecionadas',
    selectAll: 'Selecionar tudo',
    selectAllOf: 'Selecionar tudo: {group}',
    clear: 'Limpar',
    clearOf: 'Limpar: {group}',
    needed: 'Sem isto, quem tem esta função não pode abrir a página para o resto.',
    notYours: 'Você não pode dar esta permissão: você mesmo não a tem.',
    included: 'Incluída',
    notIncluded: 'Não incluída',
  },
  readOnly: {
    system:
      'Todas as empresas têm esta função, e ela não pode ser alterada nem excluída. Duplique-a para partir das mesmas permissões.',
    systemPlain: 'Todas as empresas têm esta função, e ela não pode ser alterada nem excluída.',
    above: 'Esta função dá permissões que você não tem, por isso você não pode alterá-la nem excluí-la.',
    notAllowed: 'Você pode ver esta função. Para alterá-la é preciso a permissão “Editar funções”.',
  },
  holders: {
    none: 'Nenhum membro tem esta função.',
    count:
      '{count, plural, one {# membro tem esta função.} many {# de membros têm esta função.} other {# membros têm esta função.}}',
    link: 'Ver membros',
    give: 'Atribuir função',
    add: 'Adicionar novo membro',
    giveTitle: 'Atribuir “{name}” a um membro',
    giveIntro: 'O membro mantém as funções que tem.',
    has: 'tem esta função',
    given: '{member} agora tem a função {name}',
  },
  save: {
    unsaved: 'Você tem alterações não salvas.',
    preview: 'Antes de salvar, você verá quem ganha e quem perde o quê.',
    review: 'Revisar alterações',
    discard: 'Descartar',
    saved: 'Função salva',
  },
  impact: {
    title: 'Salvar estas alterações?',
    intro:
      'Elas valem imediatamente para {count, plural, one {# membro} many {# de membros} other {# membros}}. As permissões que outras funções dão continuam.',
    gains: 'Membros que ganham',
    loses: 'Membros que perdem',
    people: '{count, plural, one {# membro} many {# de membros} other {# membros}}',
    more: 'e mais {count, plural, one {#} many {#} other {#}}',
    none: 'Ninguém ganha nem perde nada.',
    joining:
      '{count, plural, one {# convite pendente, link ou domínio também dá esta função.} many {# de convites pendentes, links ou domínios também dão esta função.} other {# convites pendentes, links ou domínios também dão esta função.}}',
    self: 'Você também perde permissões. Outra pessoa terá que devolvê-las a você.',
    you: 'você',
  },
  remove: {
    title: 'Excluir “{name}”?',
    unused: 'Nenhum membro a tem, então ninguém perde nada. Isto não pode ser desfeito.',
    inUse:
      '{count, plural, one {# membro tem esta função e recebe outra no lugar.} many {# de membros têm esta função e recebem outra no lugar.} other {# membros têm esta função e recebem outra no lugar.}} Isto não pode ser desfeito.',
    joining:
      'Nenhum membro a tem, mas há convites pendentes, links ou domínios que a dão. Eles darão outra no lugar. Isto não pode ser desfeito.',
    replacement: 'Função dada no lugar',
    choose: 'Escolha uma função',
    tooMuch: '{name} (mais do que você pode dar)',
    deleted: 'Função excluída',
    onlyRole: 'Você não pode dar nenhuma outra função, então esta não pode ser excluída enquanto estiver em uso.',
  },
} satisfies Same<typeof en>
