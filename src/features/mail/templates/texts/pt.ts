import type { EmailTranslations } from '../translations.ts'

export const pt: EmailTranslations = {
  greeting: '{name, select, unnamed {Olá!} other {Olá, {name}!}}',
  addressHint: 'Se o botão não funcionar, abra este link:',
  footer:
    '{site} enviou este e-mail sobre uma conta associada a este endereço. Não responda a esta mensagem: as respostas não são lidas.',

  emails: {
    confirm_email: {
      subject: 'Confirme seu e-mail',
      preview: 'Só falta um passo para concluir seu cadastro em {site}.',
      paragraphs: [
        'Uma conta em {site} foi criada com este endereço de e-mail. Confirme que ele é seu.',
        'O link vale por 24 horas e só pode ser usado uma vez.',
      ],
      action: 'Confirmar e-mail',
      after: ['Se você não criou esta conta, ignore esta mensagem. O endereço não será confirmado.'],
    },

    change_email: {
      subject: 'Confirme seu novo e-mail',
      preview: 'Confirme este endereço para usá-lo na sua conta em {site}.',
      paragraphs: [
        'Recebemos uma solicitação para usar este endereço de e-mail em uma conta em {site}. A mudança será feita quando você confirmar.',
        'O link vale por 24 horas e só pode ser usado uma vez.',
      ],
      action: 'Confirmar novo e-mail',
      after: ['Se você não solicitou isso, ignore esta mensagem. Nada mudará.'],
    },

    email_change_requested: {
      subject: 'Solicitação para mudar seu e-mail',
      preview: 'Outro endereço de e-mail foi solicitado para sua conta em {site}.',
      paragraphs: [
        'Alguém com uma sessão aberta na sua conta em {site} solicitou a troca deste endereço de e-mail por {newEmail}.',
        'A mudança será feita quando o novo endereço for confirmado. Se foi você, pode ignorar esta mensagem.',
        'Se não foi você, outra pessoa tem acesso à sua conta. Redefina sua senha agora: isso encerra todas as sessões e cancela a mudança.',
      ],
      action: 'Redefinir senha',
    },

    email_changed: {
      subject: 'O e-mail da sua conta foi alterado',
      preview: 'Sua conta em {site} agora usa outro endereço de e-mail.',
      paragraphs: [
        'O endereço de e-mail da sua conta em {site} mudou para {newEmail}.',
        'Se foi você, não é preciso fazer nada.',
        'Se não foi você, outra pessoa tem acesso à sua conta. Desfaça a mudança: sua conta voltará a usar este endereço, todas as sessões serão encerradas e enviaremos um link para você escolher uma nova senha.',
        'O link vale por 7 dias e só pode ser usado uma vez.',
      ],
      action: 'Desfazer a mudança',
      after: ['Não compartilhe este link: quem o tiver pode assumir o controle da sua conta.'],
    },

    email_replaced: {
      subject: 'O e-mail da sua conta foi alterado',
      preview: 'Sua conta em {site} agora usa outro endereço de e-mail.',
      paragraphs: [
        'O endereço de e-mail da sua conta em {site} mudou para {newEmail}. Esta é a última mensagem sobre essa conta que enviamos a este endereço.',
        'Se foi você, não é preciso fazer nada.',
        'Se não foi você, outra pessoa assumiu o controle da sua conta. Fale imediatamente com o suporte de {site} e informe que este endereço foi substituído.',
      ],
      action: 'Abrir {site}',
    },

    email_restored: {
      subject: 'Seu endereço de e-mail foi restaurado',
      preview: 'Escolha uma nova senha para sua conta em {site}.',
      paragraphs: [
        'Sua conta em {site} voltou a usar este endereço de e-mail. Todas as sessões foram encerradas, e a senha anterior não funciona mais.',
        'Escolha uma nova senha para entrar. O link vale por 15 minutos e só pode ser usado uma vez.',
      ],
      action: 'Escolher nova senha',
      after: [
        'Não compartilhe este link: quem o tiver pode assumir o controle da sua conta.',
        'Se ele já expirou, redefina a senha pelo link abaixo.',
      ],
      secondAction: 'Redefinir senha',
    },

    email_removed: {
      subject: 'Seu endereço de e-mail foi removido de uma conta',
      preview: 'Uma mudança de endereço de e-mail foi desfeita.',
      paragraphs: [
        'Este endereço de e-mail não pertence mais a uma conta em {site}. A mudança foi desfeita com um link que enviamos ao endereço anterior.',
        'Todas as sessões foram encerradas, e a senha da conta não funciona mais.',
        'Se a conta é sua e você não consegue ler os e-mails do endereço anterior, fale imediatamente com o suporte de {site}.',
      ],
      action: 'Abrir {site}',
    },

    reset_password: {
      subject: 'Redefina sua senha',
      preview: 'O link deste e-mail vale por 15 minutos.',
      paragraphs: [
        'Recebemos uma solicitação para redefinir a senha da sua conta em {site}.',
        'O link vale por 15 minutos e só pode ser usado uma vez. Ao escolher uma nova senha, você sairá da sua conta em todos os dispositivos.',
      ],
      action: 'Escolher nova senha',
      after: [
        'Se você não solicitou isso, ignore esta mensagem. Sua senha continuará a mesma.',
        'Não compartilhe este link: quem o tiver pode assumir o controle da sua conta.',
      ],
    },

    password_changed: {
      subject: 'Sua senha foi alterada',
      preview: 'Sua conta em {site} tem uma nova senha.',
      paragraphs: [
        'A senha da sua conta em {site} foi alterada.',
        'Se foi você, não é preciso fazer nada.',
        'Se não foi você, outra pessoa tem acesso à sua conta. Redefina sua senha agora: isso encerra todas as sessões.',
      ],
      action: 'Redefinir senha',
    },

    refresh_token_reused: {
      subject: 'Atividade incomum na sua sessão',
      preview: 'Uma sessão da sua conta em {site} pode ter sido copiada.',
      paragraphs: [
        'Um dispositivo mantém a sessão aberta na sua conta em {site} com um token que só pode ser usado uma vez. Um token já usado foi apresentado de novo, e nós o recusamos.',
        '{ended, select, yes {Alguém pode tê-lo copiado, por isso encerramos a sessão desse dispositivo. Se ele é seu, entre novamente.} other {Pode acontecer por acidente, quando uma resposta se perde ou duas janelas enviam uma solicitação quase ao mesmo tempo, por isso não encerramos nenhuma sessão. Também acontece quando alguém copiou o token.}}',
        'Se não foi você, ou se não tem certeza, outra pessoa pode ter acesso à sua conta. Redefina sua senha: isso encerra todas as sessões.',
      ],
      action: 'Redefinir senha',
    },

    temporary_password: {
      subject: 'Sua conta em {site} está pronta',
      preview: 'Use esta senha temporária para entrar pela primeira vez.',
      paragraphs: [
        '{company, select, unnamed {Uma empresa} other {{company}}} criou uma conta para você em {site}. Entre com este endereço de e-mail e a senha temporária abaixo. Em seguida, você escolherá sua própria senha.',
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
      subject: 'Sua senha temporária',
      preview: 'Entre em {site} com ela e depois escolha a sua.',
      paragraphs: [
        '{company, select, unnamed {Uma das suas empresas} other {{company}}} solicitou uma senha temporária para sua conta em {site}. Entre com ela e depois escolha sua própria senha.',
        '{replaces, select, yes {Ela substitui sua senha anterior, e você saiu da sua conta em todos os dispositivos.} other {Sua senha atual continua funcionando. Se você se lembra dela, não precisa fazer nada.}}',
        'A senha temporária vale por {hours, plural, one {# hora} other {# horas}}, até {until, date, day} ({until, time, clock}).',
      ],
      action: 'Entrar',
    },

    added_to_company: {
      subject: 'Você agora faz parte {company, select, unnamed {de uma empresa} other {da empresa {company}}}',
      preview: 'Entre em {site} como sempre.',
      paragraphs: [
        '{company, select, unnamed {Uma empresa} other {{company}}} adicionou você como membro em {site}. Entre como sempre. Nada mais mudou na sua conta.',
      ],
      action: 'Abrir {site}',
      after: [
        'Se você nunca criou uma conta com este endereço, outra pessoa a criou. Redefina a senha: isso encerra todas as sessões e torna a conta sua.',
      ],
      secondAction: 'Redefinir senha',
    },

    unverified_membership_ended: {
      subject: '{email} não é mais membro {company, select, unnamed {da sua empresa} other {da empresa {company}}}',
      preview: 'O endereço de e-mail da conta mudou antes de ser confirmado.',
      paragraphs: [
        '{email} foi adicionado {company, select, unnamed {à sua empresa} other {à empresa {company}}} em {site}. A conta agora usa outro endereço de e-mail, e ninguém confirmou que {email} pertencia a ela. A participação terminou porque a conta pode não ser da pessoa que você queria adicionar.',
        'Se você ainda quer adicionar essa pessoa, peça o endereço de e-mail dela e adicione-a de novo.',
      ],
      action: 'Abrir {site}',
    },

    ownership_offered: {
      subject:
        'Ofereceram a você a função de proprietário {company, select, unnamed {de uma empresa} other {da empresa {company}}}',
      preview: 'Entre na sua conta em até 7 dias para aceitar ou recusar.',
      paragraphs: [
        '{from, select, unnamed {Um proprietário} other {{from}}} quer transferir a você a função de proprietário {company, select, unnamed {de uma empresa} other {da empresa {company}}} em {site}.',
        'Para aceitar, entre na sua conta em até 7 dias. Você passará então a ter a função de proprietário, e {from, select, unnamed {quem fez a oferta} other {{from}}} passará a ter a de administrador. Nada muda até você aceitar, e depois de 7 dias a oferta expira.',
      ],
      action: 'Abrir {site}',
      after: ['Se não quiser, recuse a oferta ou deixe que ela expire.'],
    },

    ownership_transferred: {
      subject: 'Mudança de proprietário {company, select, unnamed {na sua empresa} other {na empresa {company}}}',
      preview: '{to, select, unnamed {Outra pessoa} other {{to}}} aceitou a função de proprietário.',
      paragraphs: [
        '{to, select, unnamed {Outra pessoa} other {{to}}} agora tem a função de proprietário {company, select, unnamed {da sua empresa} other {da empresa {company}}} em {site}, e {from, select, unnamed {quem a cedeu} other {{from}}} tem a de administrador.',
        'Se isso foi combinado com você, não é preciso fazer nada. Se não foi, talvez outra pessoa tenha acesso à sua conta: redefina sua senha agora para encerrar todas as sessões.',
      ],
      action: 'Redefinir senha',
    },

    company_deleted: {
      subject: '{company, select, unnamed {Sua empresa} other {A empresa {company}}} foi excluída',
      preview: 'Um proprietário ainda pode restaurá-la.',
      paragraphs: [
        '{by, select, unnamed {Um proprietário} other {{by}}} excluiu {company, select, unnamed {sua empresa} other {a empresa {company}}} em {site}. Os membros não têm mais acesso a ela.',
        'Qualquer proprietário pode restaurá-la, com todos os dados, até {until, date, day} ({until, time, clock}). Depois disso, ela será excluída definitivamente.',
      ],
      action: 'Abrir {site}',
    },

    company_suspended: {
      subject: '{company, select, unnamed {Sua empresa} other {A empresa {company}}} foi suspensa',
      preview: 'Por enquanto, os membros não podem usá-la.',
      paragraphs: [
        'A equipe de {site} suspendeu {company, select, unnamed {sua empresa} other {a empresa {company}}}. Os membros podem entrar em suas contas, mas não usar a empresa. Nada foi excluído.',
        'Para reativá-la, fale com o suporte de {site}.',
      ],
      action: 'Abrir {site}',
    },

    company_resumed: {
      subject: '{company, select, unnamed {Sua empresa} other {A empresa {company}}} está disponível de novo',
      preview: 'A suspensão terminou.',
      paragraphs: [
        'A equipe de {site} encerrou a suspensão de {company, select, unnamed {sua empresa} other {a empresa {company}}}. Os membros podem usá-la de novo, com todos os dados.',
      ],
      action: 'Abrir {site}',
    },

    account_created: {
      subject: 'Sua conta em {site}',
      preview: 'Escolha uma senha para entrar pela primeira vez.',
      paragraphs: [
        'A equipe de {site} criou uma conta para você com este endereço de e-mail. Escolha uma senha para entrar.',
        'O link vale por 15 minutos e só pode ser usado uma vez.',
      ],
      action: 'Escolher senha',
      after: [
        'Não compartilhe este link: quem o tiver pode assumir o controle da sua conta.',
        'Se ele já expirou, solicite outro pelo link abaixo.',
      ],
      secondAction: 'Solicitar outro link',
    },

    account_disabled: {
      subject: 'Sua conta em {site} está desativada',
      preview: 'Por enquanto, você não pode entrar.',
      paragraphs: [
        'A equipe de {site} desativou sua conta. Todas as sessões foram encerradas, e você não pode entrar nem redefinir a senha até que a conta seja reativada.',
        'Se você acha que é um engano, fale com o suporte de {site}.',
      ],
      action: 'Abrir {site}',
    },

    account_enabled: {
      subject: 'Sua conta em {site} está ativa de novo',
      preview: 'Você pode entrar como antes.',
      paragraphs: ['A equipe de {site} reativou sua conta. Entre com sua senha, ou redefina-a se não se lembrar dela.'],
      action: 'Abrir {site}',
    },

    password_removed: {
      subject: 'Escolha uma nova senha',
      preview: 'A senha da sua conta em {site} não funciona mais.',
      paragraphs: [
        'A equipe de {site} redefiniu sua conta. Todas as sessões foram encerradas, e a senha anterior não funciona mais.',
        'Escolha uma nova senha para entrar. O link vale por 15 minutos e só pode ser usado uma vez.',
      ],
      action: 'Escolher nova senha',
      after: [
        'Não compartilhe este link: quem o tiver pode assumir o controle da sua conta.',
        'Se ele já expirou, solicite outro pelo link abaixo.',
      ],
      secondAction: 'Solicitar outro link',
    },
  },
}
