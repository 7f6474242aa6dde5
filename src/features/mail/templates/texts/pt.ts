import type { EmailTranslations } from '../translations.ts'

/** Addresses the reader as «você», in Brazilian spelling and in words that are understood in Portugal and Africa too. */
export const pt: EmailTranslations = {
  greeting: '{name, select, unnamed {Olá!} other {Olá, {name}!}}',
  addressHint: 'Se o botão não funcionar, abra este endereço:',
  footer:
    '{site} enviou esta mensagem a respeito da conta que tem este endereço de e-mail. As respostas não são lidas.',

  emails: {
    confirm_email: {
      subject: 'Confirme o seu endereço de e-mail',
      preview: 'Só falta um passo para a sua conta em {site}.',
      paragraphs: [
        'Uma conta em {site} foi criada com este endereço de e-mail. Por favor, confirme que o endereço é seu.',
        'O link vale por 24 horas e só pode ser usado uma vez.',
      ],
      action: 'Confirmar o meu endereço',
      after: ['Se você não criou esta conta, não faça nada: o endereço ficará sem confirmação.'],
    },

    change_email: {
      subject: 'Confirme o seu novo endereço de e-mail',
      preview: 'Falta um passo para que a sua conta em {site} use este endereço.',
      paragraphs: [
        'Alguém, supomos que você, pediu que uma conta em {site} passe a usar este endereço de e-mail. A mudança será feita quando você o confirmar.',
        'O link vale por 24 horas e só pode ser usado uma vez.',
      ],
      action: 'Confirmar o novo endereço',
      after: ['Se você não fez este pedido, não faça nada: tudo continuará como está.'],
    },

    email_change_requested: {
      subject: 'O seu endereço de e-mail está prestes a mudar',
      preview: 'Foi pedido outro endereço para a sua conta em {site}.',
      paragraphs: [
        'Alguém com uma sessão aberta na sua conta em {site} pediu para substituir este endereço de e-mail por {newEmail}.',
        'A mudança será feita quando o novo endereço for confirmado. Se foi você, não há nada a fazer aqui.',
        'Se não foi você, outra pessoa consegue entrar na sua conta. Recupere a sua senha imediatamente: isso encerra todas as sessões e impede a mudança.',
      ],
      action: 'Recuperar a minha senha',
    },

    email_changed: {
      subject: 'O seu endereço de e-mail mudou',
      preview: 'A sua conta em {site} agora usa outro endereço.',
      paragraphs: [
        'A sua conta em {site} agora usa o endereço de e-mail {newEmail}. Esta é a última mensagem que enviamos para o anterior.',
        'Se foi você, não há nada a fazer.',
        'Se não foi você, outra pessoa entrou na sua conta. Recupere a sua senha imediatamente; se nenhuma mensagem chegar mais a este endereço, procure quem administra {site}.',
      ],
      action: 'Recuperar a minha senha',
    },

    reset_password: {
      subject: 'Escolha uma nova senha',
      preview: 'O link desta mensagem vale por 15 minutos.',
      paragraphs: [
        'Alguém, supomos que você, pediu uma nova senha para a sua conta em {site}.',
        'O link vale por 15 minutos e só pode ser usado uma vez. Quando você escolher uma nova senha, todas as suas sessões serão encerradas.',
      ],
      action: 'Escolher uma nova senha',
      after: [
        'Se você não fez este pedido, não faça nada: a sua senha continuará a mesma.',
        'Não compartilhe este link: quem o tiver pode assumir o controle da sua conta.',
      ],
    },

    password_changed: {
      subject: 'A sua senha mudou',
      preview: 'A sua conta em {site} tem uma nova senha.',
      paragraphs: [
        'A senha da sua conta em {site} mudou.',
        'Se foi você, não há nada a fazer.',
        'Se não foi você, outra pessoa entrou na sua conta. Recupere a sua senha imediatamente: isso encerra todas as sessões.',
      ],
      action: 'Recuperar a minha senha',
    },

    refresh_token_reused: {
      subject: 'Uma sessão sua foi apresentada duas vezes',
      preview: 'Pode ter sido copiada de um dos seus dispositivos.',
      paragraphs: [
        'O que mantém aberta a sessão de um dispositivo na sua conta em {site} serve uma única vez. Algo que já tinha sido usado foi apresentado de novo e foi recusado.',
        '{ended, select, yes {Alguém pode tê-lo copiado, por isso encerramos a sessão desse dispositivo. Se ele é seu, entre novamente.} other {Acontece por acidente, quando uma resposta se perde no caminho ou duas janelas perguntam quase ao mesmo tempo, por isso não encerramos nenhuma sessão. Também acontece quando alguém o copiou.}}',
        'Se não foi você, ou se não tem certeza, outra pessoa pode ter entrado na sua conta. Recupere a sua senha: isso encerra todas as sessões.',
      ],
      action: 'Recuperar a minha senha',
    },

    temporary_password: {
      subject: 'A sua conta em {site}',
      preview: 'Com uma senha temporária para entrar pela primeira vez.',
      paragraphs: [
        '{company, select, unnamed {Uma empresa} other {{company}}} criou uma conta para você em {site}. Entre com este endereço de e-mail e a senha temporária que está mais abaixo; depois você escolherá a sua.',
        'A senha temporária vale por {hours, plural, one {# hora} other {# horas}}, até {until, date, day} ({until, time, clock}).',
      ],
      action: 'Entrar',
      after: [
        'Se ela já expirou, redefina a senha pelo link abaixo ou peça outra à pessoa que adicionou você.',
        '{company, select, unnamed {A empresa} other {{company}}} administra esta conta enquanto você for membro e pode definir outra senha para ela. Se você não esperava esta mensagem, pode ignorá-la. Para que a conta seja só sua, redefina a senha e saia da empresa.',
      ],
      secondAction: 'Redefinir senha',
    },

    password_reset: {
      subject: 'Uma senha temporária para você',
      preview: 'Para a sua conta em {site}.',
      paragraphs: [
        '{company, select, unnamed {Uma das suas empresas} other {{company}}} pediu uma senha temporária para a sua conta em {site}. Ao entrar com ela, você escolherá a sua.',
        '{replaces, select, yes {Ela substitui a senha anterior, e todas as suas sessões foram encerradas.} other {A sua própria senha continua funcionando: se você se lembra dela, não precisa fazer nada.}}',
        'A senha temporária vale por {hours, plural, one {# hora} other {# horas}}, até {until, date, day} ({until, time, clock}).',
      ],
      action: 'Entrar',
    },

    added_to_company: {
      subject: 'Adicionaram você a {company, select, unnamed {uma empresa} other {{company}}}',
      preview: 'A sua conta em {site} tem mais uma empresa.',
      paragraphs: [
        '{company, select, unnamed {Uma empresa} other {{company}}} adicionou você em {site}. Entre como sempre; nada mais mudou na sua conta.',
      ],
      action: 'Abrir {site}',
      after: [
        'Se você nunca criou uma conta com este endereço, outra pessoa a criou. Redefina a senha: isso encerra todas as sessões e torna a conta sua.',
      ],
      secondAction: 'Redefinir senha',
    },

    unverified_membership_ended: {
      subject: '{email} já não é membro de {company, select, unnamed {sua empresa} other {{company}}}',
      preview: 'A conta mudou o endereço de e-mail antes de ele ser confirmado.',
      paragraphs: [
        '{email} foi adicionado a {company, select, unnamed {sua empresa} other {{company}}} em {site}. Agora a conta tem outro endereço de e-mail, e ninguém chegou a confirmar que {email} pertencia a ela. A participação terminou, porque a conta pode não ser da pessoa que você queria adicionar.',
        'Se você ainda quer esta pessoa na empresa, peça o endereço de e-mail dela e adicione-a de novo.',
      ],
      action: 'Abrir {site}',
    },

    ownership_offered: {
      subject: 'Oferecem a você a titularidade de {company, select, unnamed {uma empresa} other {{company}}}',
      preview: 'Entre dentro de 7 dias para aceitar.',
      paragraphs: [
        '{from, select, unnamed {Alguém com a função Owner} other {{from}}} oferece a você a titularidade de {company, select, unnamed {uma empresa} other {{company}}} em {site}.',
        'Para aceitá-la, entre na sua conta dentro de 7 dias. Até lá nada muda; depois disso a oferta perde a validade.',
      ],
      action: 'Abrir {site}',
      after: ['Se você não a quiser, não faça nada.'],
    },

    ownership_transferred: {
      subject: 'A titularidade de {company, select, unnamed {sua empresa} other {{company}}} mudou de mãos',
      preview: '{to, select, unnamed {Outra pessoa} other {{to}}} aceitou a titularidade.',
      paragraphs: [
        'A titularidade de {company, select, unnamed {sua empresa} other {{company}}} em {site} passou de {from, select, unnamed {quem a tinha} other {{from}}} para {to, select, unnamed {outra pessoa} other {{to}}}.',
        'Se isso foi combinado, não há nada a fazer. Se você não sabe de nada, talvez outra pessoa tenha entrado na sua conta: recupere a sua senha imediatamente, isso encerra todas as sessões.',
      ],
      action: 'Recuperar a minha senha',
    },

    company_deleted: {
      subject: '{company, select, unnamed {A sua empresa} other {A empresa {company}}} foi excluída',
      preview: 'Quem tem a função Owner ainda pode restaurá-la.',
      paragraphs: [
        '{by, select, unnamed {Alguém com a função Owner} other {{by}}} excluiu {company, select, unnamed {a sua empresa} other {a empresa {company}}} em {site}. A partir de agora ninguém pode trabalhar nela.',
        'Quem tem a função Owner pode restaurá-la, com todo o seu conteúdo, até {until, date, day} ({until, time, clock}). Depois disso ela se perderá para sempre.',
      ],
      action: 'Abrir {site}',
    },
  },
}
