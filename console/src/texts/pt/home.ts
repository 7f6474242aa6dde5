import type en from '../en/home.ts'
import type { Same } from '../types.ts'

export default {
  title: 'Início',
  greeting: 'Olá, {name}',
  company: 'O que acontece na empresa {company}',
  attention: 'Precisa da sua atenção',
  nothing: { title: 'Tudo tranquilo', message: 'Nada precisa da sua atenção agora.' },
  unconfirmed: {
    title: 'Confirme seu e-mail',
    message: 'Confirme que {email} é seu, para que possamos falar com você sobre sua conta.',
    action: 'Enviar link',
    sent: 'Um link está a caminho de {email}.',
  },
  pendingEmail: {
    title: 'Confirme seu novo e-mail',
    message: 'Abra o link que enviamos para {email}. Até lá, você entra com seu endereço atual.',
    action: 'Ver configurações de e-mail',
  },
  secondFactor: {
    title: 'Configure um segundo fator',
    message:
      'A partir de {day}, {company} só poderá ser aberta com um segundo fator. Adicione antes uma chave de acesso ou um aplicativo autenticador.',
    action: 'Abrir configurações de segurança',
  },
  alone: {
    title: 'Convide seu primeiro membro',
    message:
      'Por enquanto só você está aqui. Convide as pessoas com quem trabalha e escolha o que cada uma pode fazer.',
    action: 'Convidar membros',
  },
  transfer: {
    title: 'Há uma transferência da função de proprietário em andamento',
    message: 'De {from} para {to}. Abra as configurações para ver.',
    action: 'Ver transferência',
  },
  requests: {
    title: 'Alguém pediu para participar',
    message:
      '{others, plural, =0 {{name} espera uma decisão.} one {{name} e mais uma pessoa esperam uma decisão.} many {{name} e mais # pessoas esperam uma decisão.} other {{name} e mais # pessoas esperam uma decisão.}}',
    action: 'Ver pedidos',
  },
  shortcuts: 'Atalhos',
  members: {
    title: 'Membros',
    message: 'Adicione pessoas e escolha suas funções e filiais.',
    view: 'Veja quem trabalha aqui e com quais funções.',
  },
  roles: { title: 'Funções', message: 'Decida o que cada função pode fazer.' },
  branches: { title: 'Filiais', message: 'Organize suas unidades em uma só árvore.' },
  audit: { title: 'Registro de auditoria', message: 'Veja quem mudou o quê e comprove que nada foi alterado.' },
  settings: { title: 'Configurações', message: 'Nome, fuso horário, função de proprietário.' },
  choose: { title: 'Suas empresas', intro: 'Escolha onde você quer trabalhar.', roles: 'Suas funções: {roles}' },
  noCompanies: {
    title: 'Você não faz parte de nenhuma empresa',
    message:
      'Crie uma ou peça a um administrador que adicione {email}. Se já estava em uma, pergunte se seu vínculo com ela continua ativo.',
    action: 'Criar empresa',
  },
} satisfies Same<typeof en>
