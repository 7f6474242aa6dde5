import { counted } from './counting.js'

const wait = counted('pt', {
  one: 'Aguarde # segundo e tente novamente.',
  many: 'Aguarde # de segundos e tente novamente.',
  other: 'Aguarde # segundos e tente novamente.',
})

/** What the API says against a password, in its own words. */
const reasons = {
  'must have at least 8 characters': 'A senha deve ter pelo menos 8 caracteres.',
  'must have at most 128 characters': 'A senha deve ter no máximo 128 caracteres.',
  'must have an uppercase letter': 'A senha deve ter uma letra maiúscula.',
  'must have a lowercase letter': 'A senha deve ter uma letra minúscula.',
  'must have a digit': 'A senha deve ter um número.',
  'contains characters that aren’t allowed': 'A senha tem caracteres que não são permitidos.',
  'can’t be your email address': 'A senha não pode ser igual ao seu e-mail.',
  'is too common': 'Esta senha é muito comum. Escolha outra.',
}

const linkMissing = {
  heading: 'Este link está incompleto',
  message:
    'Falta uma parte do link; isso também acontece quando a página é recarregada. Abra novamente o link do e-mail.',
}

/** Addresses the reader as «você», like the emails. */
export default {
  signIn: 'Entrar',
  checking: 'Verificando o link…',

  trouble: {
    tooManyRequests: (seconds) =>
      `Muitas tentativas. ${seconds > 0 ? wait(seconds) : 'Aguarde um momento e tente novamente.'}`,
    waitIsOver: 'Você já pode tentar novamente.',
    noAnswer: 'Não foi possível conectar ao serviço. Verifique sua conexão e tente novamente.',
    failed: 'Algo deu errado do nosso lado. Tente novamente em instantes.',
  },

  home: {
    title: 'Endereço do serviço',
    heading: 'Este é o serviço por trás do produto',
    intro:
      'Não é possível entrar na sua conta por este endereço. Abra o aplicativo ou o site onde você usa o produto e ' +
      'entre por lá. Se não souber onde fica, pergunte a um administrador da sua empresa.',
    forgotten: 'Esqueceu sua senha?',
    reset: 'Redefinir senha',
    development: 'Para desenvolvedores',
    setting: 'Os botões dos e-mails levam a APP_URL. Defina nela o endereço do seu front-end.',
    documentation: 'Documentação da API',
    mailbox: 'E-mails de desenvolvimento',
  },

  confirmAddress: {
    title: 'Confirme seu e-mail',
    heading: 'Confirme seu e-mail',
    intro: 'Clique no botão para confirmar que este endereço de e-mail é seu.',
    submit: 'Confirmar e-mail',
    busy: 'Confirmando…',
    confirmed: {
      heading: 'E-mail confirmado',
      message: 'A partir de agora, entre com este endereço. Você já pode fechar esta página.',
    },
    linkMissing,
    linkInvalid: {
      heading: 'Este link não funciona mais',
      message:
        'Ele já foi usado, expirou ou foi substituído por um e-mail mais recente. Se você já confirmou seu endereço, ' +
        'está tudo certo. Se não, solicite um novo link.',
    },
    taken: {
      heading: 'Este endereço já está em uso',
      message:
        'Nesse meio-tempo, outra conta passou a usar este endereço. Nada mudou: sua conta mantém o endereço atual.',
    },
  },

  newLink: {
    intro:
      'Se você acabou de se cadastrar, digite seu e-mail e enviaremos um novo link. Se você está mudando seu ' +
      'endereço, entre na sua conta e solicite um novo link por lá.',
    label: 'E-mail',
    submit: 'Enviar novo link',
    busy: 'Enviando…',
    malformed: 'Digite um endereço de e-mail como ana@example.com.',
    asked: (email) => ({
      heading: 'Confira sua caixa de entrada',
      message:
        `Se ${email} pertence a uma conta e ainda não foi confirmado, você receberá um e-mail com um novo link. O link ` +
        'vale por 24 horas e só pode ser usado uma vez. Se não o encontrar, confira a pasta de spam.',
    }),
  },

  invitation: {
    title: 'Convite',
    heading: 'Você recebeu um convite',
    intro: 'Carregando o convite…',
    about: ({ company, inviter, email }) =>
      `${inviter ?? 'Um membro'} convidou ${email} para participar da empresa ${company}.`,
    nameLabel: 'Seu nome',
    passwordLabel: 'Senha',
    noAccounts: 'Não é possível criar contas novas aqui. Peça à empresa para adicionar você.',
    register: {
      submit: 'Criar conta e aceitar',
      busy: 'Aceitando…',
      nameMissing: 'Digite seu nome.',
      nameRefused: 'Este nome não pode ser usado. Digite outro.',
    },
    signIn: {
      intro: 'Você já tem uma conta. Entre para aceitar.',
      submit: 'Entrar e aceitar',
      busy: 'Aceitando…',
      blank: 'Digite sua senha.',
      wrong: 'Senha incorreta.',
    },
    forgotten: 'Esqueceu sua senha?',
    afterReset: 'Depois, abra o convite de novo a partir do e-mail.',
    codeLabel: 'Código',
    code: {
      intro: 'Digite o código do seu aplicativo autenticador ou um dos seus códigos de recuperação.',
      submit: 'Confirmar e aceitar',
      busy: 'Aceitando…',
      blank: 'Digite um código.',
      wrong:
        'Este código não está certo ou já foi usado. Espere o próximo. Depois de várias tentativas, abra o link novamente.',
    },
    decline: { submit: 'Recusar convite', busy: 'Recusando…' },
    joined: (company) => ({ heading: 'Convite aceito', message: `Agora você é membro da empresa ${company}.` }),
    declined: { heading: 'Convite recusado', message: 'Nada mudou na empresa. Você já pode fechar esta página.' },
    elsewhere: {
      heading: 'Entre primeiro no aplicativo',
      message: 'Sua conta pede mais uma etapa. Entre onde você usa o produto e aceite o convite por lá.',
    },
    reserved: {
      heading: 'Este endereço ainda não pode ser usado',
      message:
        'Outra conta usou este endereço há menos de 7 dias e ainda pode recuperá-lo. Abra o convite de novo mais tarde, a partir do e-mail, antes que expire.',
    },
    noLongerValid: {
      heading: 'Este convite não é mais válido',
      message: 'Quem o enviou não pode mais convidar você. Peça um novo convite.',
    },
    linkInvalid: {
      heading: 'Este link não funciona mais',
      message: 'O convite foi respondido, cancelado ou enviado de novo, ou expirou. Peça um novo.',
    },
  },

  restoreAddress: {
    title: 'Restaure seu e-mail',
    heading: 'Restaure seu e-mail',
    intro:
      'O e-mail da sua conta foi alterado. Se não foi você, restaure seu endereço anterior: isso encerra todas as ' +
      'sessões, e enviaremos um link para você escolher uma nova senha.',
    submit: 'Restaurar e-mail',
    busy: 'Restaurando…',
    restored: {
      heading: 'E-mail restaurado',
      message:
        'Sua conta voltou a usar seu endereço anterior, e todas as sessões foram encerradas. Confira sua caixa de ' +
        'entrada: um e-mail com um link para escolher uma nova senha está a caminho.',
    },
    linkMissing,
    linkInvalid: {
      heading: 'Este link não funciona mais',
      message:
        'Ele já foi usado, expirou ou foi substituído por um e-mail mais recente. Se você não consegue entrar na sua ' +
        'conta, fale com o suporte.',
    },
    taken: {
      heading: 'Este endereço já está em uso',
      message:
        'Nesse meio-tempo, outra conta passou a usar seu endereço anterior. Nada mudou. Fale com o suporte para ' +
        'recuperar sua conta.',
    },
  },

  cancelReset: {
    title: 'Manter seus segundos fatores',
    heading: 'Manter seus segundos fatores',
    intro:
      'Todas as chaves de acesso, aplicativos autenticadores e códigos de recuperação da sua conta estão prestes a ser ' +
      'removidos. Se você não pediu isso, cancele. Nada mais muda.',
    submit: 'Cancelar a remoção',
    busy: 'Cancelando…',
    cancelled: {
      heading: 'Remoção cancelada',
      message: 'Seus segundos fatores ficam. Talvez alguém saiba sua senha: redefina-a se você não pediu a remoção.',
      next: 'Redefinir senha',
    },
    linkMissing,
    linkInvalid: {
      heading: 'Este link não funciona mais',
      message:
        'A remoção foi cancelada ou feita, ou sua conta tem agora outro endereço de e-mail. Se você não consegue entrar na sua ' +
        'conta, fale com o suporte.',
    },
  },

  undoFactor: {
    title: 'Desfazer a mudança',
    heading: 'Desfazer a mudança',
    intro:
      'Os segundos fatores da sua conta foram alterados. Se não foi você, desfaça isso: os fatores adicionados desde ' +
      'então serão removidos, todas as sessões serão encerradas e enviaremos um link para você escolher uma nova senha.',
    submit: 'Não fui eu',
    busy: 'Desfazendo…',
    undone: {
      heading: 'Mudança desfeita',
      message:
        'Todas as sessões foram encerradas. Confira sua caixa de entrada: um e-mail com um link para escolher uma nova ' +
        'senha está a caminho.',
    },
    linkMissing,
    linkInvalid: {
      heading: 'Este link não funciona mais',
      message:
        'Ele já foi usado, expirou ou sua conta tem agora outro endereço de e-mail. Se você não consegue entrar na sua ' +
        'conta, fale com o suporte.',
    },
  },

  choosePassword: {
    title: 'Escolha uma nova senha',
    heading: 'Escolha uma nova senha',
    intro: 'Ela substituirá sua senha atual, e você sairá da sua conta em todos os dispositivos.',
    label: 'Nova senha',
    compromised: 'Outra pessoa pode ter usado minha conta',
    compromisedHint:
      'Assim, os convites, os links e as senhas temporárias dados a partir dela também param de funcionar.',
    submit: 'Salvar senha',
    busy: 'Salvando…',
    reveal: { label: 'Mostrar', name: 'Mostrar senha' },
    conceal: { label: 'Ocultar', name: 'Ocultar senha' },
    rules: {
      length: 'De 8 a 128 caracteres',
      uppercase: 'Uma letra maiúscula',
      lowercase: 'Uma letra minúscula',
      digit: 'Um número',
    },
    kept: 'atendido',
    notKept: 'pendente',
    blank: 'Digite uma nova senha.',
    rulesNotKept: 'Esta senha ainda não atende a todos os requisitos.',
    unchanged: 'Esta já é a sua senha. Escolha outra.',
    refused: (reason) => reasons[reason] ?? 'Esta senha não pode ser usada. Escolha outra.',
    saved: {
      heading: 'Senha alterada',
      message: 'Você saiu da sua conta em todos os dispositivos. Já pode entrar com a nova senha.',
    },
    linkInvalid: {
      heading: 'Este link não funciona mais',
      message:
        'Ele já foi usado, foi substituído por um e-mail mais recente ou tem mais de 15 minutos. Se você acabou de ' +
        'escolher uma senha, tente entrar com ela.',
      next: 'Solicitar um novo link',
    },
  },

  askForLink: {
    title: 'Redefina sua senha',
    heading: 'Redefina sua senha',
    intro: 'Digite o e-mail da sua conta e enviaremos um link para você escolher uma nova senha.',
    label: 'E-mail',
    submit: 'Enviar link',
    busy: 'Enviando…',
    malformed: 'Digite um endereço de e-mail como ana@example.com.',
    asked: (email) => ({
      heading: 'Confira sua caixa de entrada',
      message:
        `Se existir uma conta com ${email}, você receberá um e-mail com um link. O link vale por 15 minutos e só pode ` +
        'ser usado uma vez. Se não o encontrar, confira a pasta de spam.',
      next: 'Usar outro endereço',
    }),
  },
}
