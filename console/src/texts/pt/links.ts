import type en from '../en/links.ts'
import type { Same } from '../types.ts'

export default {
  checking: 'Verificando o link…',
  linkMissing: {
    heading: 'Este link está incompleto',
    message:
      'Falta uma parte do link; isso também acontece quando a página é recarregada. Abra novamente o link do e-mail.',
  },
  confirmAddress: {
    heading: 'Confirme seu e-mail',
    intro: 'Clique no botão para confirmar que este endereço de e-mail é seu.',
    submit: 'Confirmar e-mail',
    confirmed: {
      heading: 'E-mail confirmado',
      message: 'A partir de agora, entre com este endereço. Você já pode fechar esta página.',
      signedIn: 'Continue aqui, ou feche esta página e volte para onde você estava.',
    },
    linkInvalid: {
      heading: 'Este link não funciona mais',
      message:
        'Ele já foi usado, expirou ou foi substituído por um e-mail ou uma senha mais recente. Se você já confirmou seu endereço, está tudo certo. Se não, solicite um novo link.',
    },
    taken: {
      heading: 'Este endereço já está em uso',
      message:
        'Nesse meio-tempo, outra conta passou a usar este endereço. Nada mudou: sua conta mantém o endereço atual.',
    },
  },
  newLink: {
    intro:
      'Se você acabou de se cadastrar, digite seu e-mail e enviaremos um novo link. Se você está mudando seu endereço, entre na sua conta e solicite um novo link por lá.',
    submit: 'Enviar novo link',
    asked: {
      heading: 'Confira sua caixa de entrada',
      message:
        'Se {email} pertence a uma conta e ainda não foi confirmado, você receberá um e-mail com um novo link. O link vale por 24 horas e só pode ser usado uma vez. Se não o encontrar, confira a pasta de spam.',
    },
  },
  restoreAddress: {
    heading: 'Restaure seu e-mail',
    intro:
      'O e-mail da sua conta foi alterado. Se não foi você, restaure seu endereço anterior: isso encerra todas as sessões, e enviaremos um link para você escolher uma nova senha.',
    submit: 'Restaurar e-mail',
    restored: {
      heading: 'E-mail restaurado',
      message:
        'Sua conta voltou a usar seu endereço anterior, e todas as sessões foram encerradas. Confira sua caixa de entrada: um e-mail com um link para escolher uma nova senha está a caminho.',
    },
    linkInvalid: {
      heading: 'Este link não funciona mais',
      message:
        'Ele já foi usado, expirou ou foi substituído por um e-mail mais recente. Se você não consegue entrar na sua conta, fale com o suporte.',
    },
    taken: {
      heading: 'Este endereço já está em uso',
      message:
        'Nesse meio-tempo, outra conta passou a usar seu endereço anterior. Nada mudou. Fale com o suporte para recuperar sua conta.',
    },
  },
  choosePassword: {
    heading: 'Escolha uma nova senha',
    intro: 'Ela substituirá sua senha atual, e você sairá da sua conta em todos os dispositivos.',
    submit: 'Salvar senha',
    saved: {
      heading: 'Senha alterada',
      message: 'Você saiu da sua conta em todos os dispositivos. Já pode entrar com a nova senha.',
    },
    linkInvalid: {
      heading: 'Este link não funciona mais',
      message:
        'Ele já foi usado, foi substituído por um e-mail mais recente ou tem mais de 15 minutos. Se você acabou de escolher uma senha, tente entrar com ela.',
      next: 'Solicitar um novo link',
    },
  },
  askForLink: {
    heading: 'Redefina sua senha',
    intro: 'Digite o e-mail da sua conta e enviaremos um link para você escolher uma nova senha.',
    submit: 'Enviar link',
    asked: {
      heading: 'Confira sua caixa de entrada',
      message:
        'Se existir uma conta com {email}, você receberá um e-mail com um link. O link vale por 15 minutos e só pode ser usado uma vez. Se não o encontrar, confira a pasta de spam.',
      next: 'Usar outro endereço',
    },
  },
} satisfies Same<typeof en>
