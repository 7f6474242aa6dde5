import { counted } from './counting.js'

const wait = counted('pt', {
  one: 'Espere # segundo e tente de novo.',
  many: 'Espere # de segundos e tente de novo.',
  other: 'Espere # segundos e tente de novo.',
})

/** What the API says against a password, in its own words. */
const reasons = {
  'must have at least 8 characters': 'A senha deve ter pelo menos 8 caracteres.',
  'must have at most 128 characters': 'A senha deve ter no máximo 128 caracteres.',
  'must have an uppercase letter': 'A senha deve ter uma letra maiúscula.',
  'must have a lowercase letter': 'A senha deve ter uma letra minúscula.',
  'must have a digit': 'A senha deve ter um número.',
  'has characters that are not allowed': 'A senha tem caracteres que não são permitidos.',
  'must not be the e-mail address': 'A senha não pode ser o endereço de e-mail.',
  'is among the commonest passwords': 'A senha é uma das mais comuns.',
}

/** Addresses the reader as «você», like the letters. */
export default {
  trouble: {
    tooManyRequests: (seconds) =>
      `Muitas solicitações. ${seconds > 0 ? wait(seconds) : 'Espere um momento e tente de novo.'}`,
    waitIsOver: 'Você já pode tentar de novo.',
    noAnswer: 'Não foi possível falar com o serviço. Verifique a sua conexão e tente de novo.',
    failed: 'Algo deu errado do nosso lado. Tente de novo daqui a pouco.',
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
    title: 'Confirme o seu endereço de e-mail',
    heading: 'Confirme o seu endereço',
    intro: 'Com um clique saberemos que esta caixa de e-mail é sua.',
    submit: 'Confirmar endereço',
    busy: 'Confirmando…',
    confirmed: {
      heading: 'Endereço confirmado',
      message: 'Agradecemos a confirmação. A partir de agora você entra com este endereço. Pode fechar esta página.',
    },
    linkMissing: {
      heading: 'Este link está incompleto',
      message:
        'Falta a parte secreta dele, como acontece quando esta página é recarregada. Abra de novo o link que está na mensagem.',
    },
    linkInvalid: {
      heading: 'Este link não funciona mais',
      message:
        'Ele já foi usado, uma mensagem mais recente o substituiu ou o prazo dele acabou. Se você já confirmou o seu ' +
        'endereço, está tudo certo. Se não, entre na sua conta e peça uma nova mensagem.',
    },
    taken: {
      heading: 'Este endereço já está em uso',
      message:
        'Nesse meio-tempo outra conta foi aberta com este endereço. Nada mudou: a sua conta mantém o endereço que tem.',
    },
  },

  choosePassword: {
    title: 'Escolha uma nova senha',
    heading: 'Escolha uma nova senha',
    intro: 'Ela substitui a anterior, e todas as sessões da sua conta serão encerradas.',
    label: 'Nova senha',
    submit: 'Salvar senha',
    busy: 'Salvando…',
    reveal: { label: 'Mostrar', name: 'Mostrar a senha' },
    conceal: { label: 'Ocultar', name: 'Ocultar a senha' },
    rules: {
      length: 'De 8 a 128 caracteres',
      uppercase: 'Uma letra maiúscula',
      lowercase: 'Uma letra minúscula',
      digit: 'Um número',
    },
    kept: 'cumprida',
    notKept: 'pendente',
    blank: 'Digite uma nova senha.',
    rulesNotKept: 'Esta senha ainda não cumpre todas as regras.',
    unchanged: 'Esta é a senha que você tem agora. Escolha outra.',
    refused: (reason) => reasons[reason] ?? 'Esta senha não pode ser usada. Escolha outra.',
    saved: {
      heading: 'Senha alterada',
      message:
        'Todas as sessões da sua conta foram encerradas, em todos os dispositivos. Você já pode entrar com a sua nova senha.',
    },
    linkInvalid: {
      heading: 'Este link não funciona mais',
      message:
        'Ele já foi usado, uma mensagem mais recente o substituiu ou os 15 minutos dele acabaram. Se você acabou de ' +
        'escolher uma senha, tente entrar com ela.',
      next: 'Pedir um novo link',
    },
  },

  askForLink: {
    title: 'Redefina a sua senha',
    heading: 'Redefina a sua senha',
    intro: 'Diga qual é o endereço de e-mail da sua conta. Enviaremos um link para você escolher uma nova senha.',
    label: 'Endereço de e-mail',
    submit: 'Enviar link',
    busy: 'Enviando…',
    malformed: 'Digite um endereço de e-mail como ana@example.com.',
    asked: (email) => ({
      heading: 'Veja a sua caixa de e-mail',
      message:
        `Se existe uma conta com ${email}, uma mensagem com um link está a caminho. O link funciona uma vez, por 15 ` +
        'minutos. Se nada chegar, veja também a pasta de spam.',
      next: 'Usar outro endereço',
    }),
  },
}
