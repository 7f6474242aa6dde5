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

    second_factor_added: {
      subject: 'Um segundo fator foi adicionado',
      preview: 'Para entrar na sua conta em {site}, a senha já não basta.',
      paragraphs: [
        '{factor, select, unnamed {Um segundo fator} other {O segundo fator {factor}}} foi adicionado à sua conta em {site}. A partir de agora, ele será pedido ao entrar.',
        'Se foi você, não é preciso fazer nada.',
        'Se não foi você, outra pessoa tem acesso à sua conta. Desfaça isso: todos os fatores adicionados desde então serão removidos, todas as sessões serão encerradas e enviaremos um link para você escolher uma nova senha.',
        'O link vale por 3 dias e só pode ser usado uma vez.',
      ],
      action: 'Não fui eu',
      after: ['Não compartilhe este link: quem o tiver pode assumir o controle da sua conta.'],
    },

    second_factor_removed: {
      subject: 'Um segundo fator foi removido',
      preview: 'Ele não protege mais sua conta em {site}.',
      paragraphs: [
        '{factor, select, unnamed {Um segundo fator} other {O segundo fator {factor}}} foi removido da sua conta em {site}.',
        'Se foi você, não é preciso fazer nada.',
        'Se não foi você, outra pessoa tem acesso à sua conta. Avise-nos: todos os fatores adicionados desde então serão removidos, todas as sessões serão encerradas e enviaremos um link para você escolher uma nova senha.',
        'O link vale por 3 dias e só pode ser usado uma vez.',
      ],
      action: 'Não fui eu',
      after: ['Não compartilhe este link: quem o tiver pode assumir o controle da sua conta.'],
    },

    second_factor_reset: {
      subject: 'Seus segundos fatores foram removidos',
      preview: 'Agora sua conta em {site} abre só com a sua senha.',
      paragraphs: [
        'Um administrador {company, select, unnamed {da sua empresa} other {da empresa {company}}} removeu todos os segundos fatores da sua conta em {site} e seus códigos de recuperação. Você saiu da sua conta em todos os dispositivos.',
        'Se você pediu isso, entre com sua senha e adicione um segundo fator novamente.',
        'Se você não pediu isso, fale com seu administrador e redefina sua senha.',
      ],
      action: 'Redefinir senha',
    },

    factor_reset_announced: {
      subject: 'Seus segundos fatores serão removidos',
      preview: 'Cancele se você não pediu isso.',
      paragraphs: [
        'Foi pedido à equipe de {site} que remova os segundos fatores da sua conta. Depois de {until, date, day} ({until, time, clock}), todas as chaves de acesso, aplicativos autenticadores e códigos de recuperação dela serão removidos, e todas as sessões serão encerradas. A partir daí, sua senha bastará para entrar.',
        'Se você pediu isso porque os perdeu, não é preciso fazer nada.',
        'Se não pediu, cancele: seus segundos fatores ficam. O link funciona até lá. Talvez alguém esteja tentando entrar na sua conta, por isso redefina também sua senha.',
      ],
      action: 'Cancelar a remoção',
    },

    factor_reset_done: {
      subject: 'Seus segundos fatores foram removidos',
      preview: 'Agora sua senha basta para entrar em {site}.',
      paragraphs: [
        'A equipe de {site} removeu todas as chaves de acesso, aplicativos autenticadores e códigos de recuperação da sua conta, como anunciado. Todas as sessões foram encerradas.',
        'Entre com sua senha e adicione um novo segundo fator.',
        'Se você não pediu isso, redefina sua senha agora e fale com o suporte de {site}.',
      ],
      action: 'Redefinir senha',
    },

    recovery_codes_created: {
      subject: 'Você tem novos códigos de recuperação',
      preview: 'Os anteriores não funcionam mais.',
      paragraphs: [
        'Novos códigos de recuperação foram criados para sua conta em {site}. Os anteriores não funcionam mais.',
        'Se foi você, não é preciso fazer nada.',
        'Se não foi você, outra pessoa tem acesso à sua conta. Desfaça isso: os códigos de recuperação deixarão de funcionar, todas as sessões serão encerradas e enviaremos um link para você escolher uma nova senha.',
        'O link vale por 3 dias e só pode ser usado uma vez.',
      ],
      action: 'Não fui eu',
      after: ['Não compartilhe este link: quem o tiver pode assumir o controle da sua conta.'],
    },

    factor_change_undone: {
      subject: 'A mudança dos seus segundos fatores foi desfeita',
      preview: 'Escolha uma nova senha para sua conta em {site}.',
      paragraphs: [
        'A mudança dos segundos fatores da sua conta em {site} foi desfeita. Todas as sessões foram encerradas, e a senha anterior não funciona mais.',
        'Os fatores adicionados antes continuam funcionando. Se outro e-mail avisar de um que não é seu, use também o link desse e-mail.',
        'Escolha uma nova senha para entrar. O link vale por 15 minutos e só pode ser usado uma vez.',
      ],
      action: 'Escolher nova senha',
      after: [
        'Não compartilhe este link: quem o tiver pode assumir o controle da sua conta.',
        'Se ele já expirou, redefina a senha pelo link abaixo.',
      ],
      secondAction: 'Redefinir senha',
    },

    recovery_code_used: {
      subject: 'Um código de recuperação foi usado',
      preview: 'Ele substituiu o segundo fator da sua conta em {site}.',
      paragraphs: [
        'Um código de recuperação da sua conta em {site} foi usado no lugar do segundo fator. {left, plural, one {Resta # código.} other {Restam # códigos.}} Você pode criar outros quando quiser.',
        'Se foi você, não é preciso fazer mais nada.',
        'Se não foi você, outra pessoa tem sua senha e um dos seus códigos. Redefina sua senha agora: isso encerra todas as sessões. Depois crie novos códigos de recuperação.',
      ],
      action: 'Redefinir senha',
    },

    second_factor_guessed: {
      subject: 'Talvez alguém saiba sua senha',
      preview: 'Códigos errados foram digitados para sua conta em {site}.',
      paragraphs: [
        'Alguém digitou vários códigos errados para o segundo fator da sua conta em {site}. Essa pessoa sabe sua senha ou usa um dispositivo com a sessão aberta.',
        'Seu segundo fator a impediu de entrar. Se foi você, tente mais tarde ou use um código de recuperação.',
        'Se não foi você, redefina sua senha agora: isso encerra todas as sessões.',
      ],
      action: 'Redefinir senha',
    },

    new_sign_in: {
      subject: 'Novo acesso à sua conta em {site}',
      preview: 'De uma rede e um dispositivo novos para ela.',
      paragraphs: [
        'Alguém entrou na sua conta em {site} em {at, date, day} ({at, time, clock}), do endereço {address} com {device, select, unnamed {um dispositivo desconhecido} other {{device}}}. Nem a rede nem o dispositivo foram usados com ela ultimamente, ou desde que a senha foi redefinida.',
        'Se foi você, não é preciso fazer nada.',
        'Se não foi você, outra pessoa tem acesso à sua conta. Redefina sua senha agora: isso encerra todas as sessões. Depois confira as chaves de acesso e os aplicativos autenticadores da sua conta.',
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
        '{company, select, unnamed {Uma empresa} other {{company}}} criou uma conta para você em {site}. {by, select, unnamed {Entre} other {{verified, select, no {Quem adicionou você foi {by}: esse endereço não foi verificado.} other {Quem adicionou você foi {by}.}} Entre}} com este endereço de e-mail e a senha temporária abaixo. Em seguida, você escolherá sua própria senha.',
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
        '{replaces, select, yes {Ela substitui sua senha anterior, e você saiu da sua conta em todos os dispositivos.} none {Sua conta não tem outra senha.} other {Sua senha atual continua funcionando. Se você se lembra dela, não precisa fazer nada.}}',
        'A senha temporária vale por {hours, plural, one {# hora} other {# horas}}, até {until, date, day} ({until, time, clock}).',
      ],
      action: 'Entrar',
    },

    added_to_company: {
      subject: 'Você agora faz parte {company, select, unnamed {de uma empresa} other {da empresa {company}}}',
      preview:
        '{awaits, select, yes {Redefina a senha para confirmar seu endereço.} other {Entre em {site} como sempre.}}',
      paragraphs: [
        '{company, select, unnamed {Uma empresa} other {{company}}} adicionou você como membro em {site}. {by, select, unnamed {{awaits, select, yes {Para abri-la, primeiro redefina a senha com o link abaixo: isso confirma seu endereço de e-mail.} other {Entre como sempre.}}} other {{verified, select, no {Quem adicionou você foi {by}: esse endereço não foi verificado.} other {Quem adicionou você foi {by}.}} {awaits, select, yes {Para abri-la, primeiro redefina a senha com o link abaixo: isso confirma seu endereço de e-mail.} other {Entre como sempre.}}}} Nada mais mudou na sua conta.',
      ],
      action: 'Abrir {site}',
      after: [
        'Se você nunca criou uma conta com este endereço, outra pessoa a criou. Redefina a senha: isso encerra todas as sessões e torna a conta sua.',
      ],
      secondAction: 'Redefinir senha',
    },

    invitation: {
      subject: 'Convite para participar {company, select, unnamed {de uma empresa} other {da empresa {company}}}',
      preview: 'Aceite ou recuse até {until, date, day}.',
      paragraphs: [
        '{inviter, select, unnamed {Um membro} other {{inviter}}}, {company, select, unnamed {de uma empresa} other {da empresa {company}}}, convidou você para participar dela em {site}. Nada muda até você aceitar.',
        'O convite vale até {until, date, day} ({until, time, clock}).',
      ],
      action: 'Ver convite',
      after: [
        'Se não quiser participar, recuse o convite ou ignore este e-mail.',
        'Não compartilhe este link. Quem o tiver pode responder em seu lugar.',
      ],
      footer: '{site} enviou este e-mail porque alguém convidou este endereço. As respostas não são lidas.',
    },

    invitation_accepted: {
      subject:
        '{member, select, unnamed {A pessoa que você convidou} other {{member}}} agora faz parte {company, select, unnamed {da sua empresa} other {da empresa {company}}}',
      preview: 'Seu convite foi aceito.',
      paragraphs: [
        '{member, select, unnamed {A pessoa que você convidou} other {{member}}} aceitou seu convite e agora é membro {company, select, unnamed {da sua empresa} other {da empresa {company}}} em {site}.',
        'Se você convidou essa pessoa, não é preciso fazer nada.',
        'Se não convidou, talvez outra pessoa tenha acesso à sua conta. Redefina sua senha agora para encerrar todas as sessões e remova esse membro da empresa.',
      ],
      action: 'Redefinir senha',
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

    join_requested: {
      subject:
        '{person, select, unnamed {Alguém} other {{person}}} pede para participar {company, select, unnamed {da sua empresa} other {da empresa {company}}}',
      preview: 'Aprove ou recuse o pedido.',
      paragraphs: [
        '{person, select, unnamed {Alguém} other {{person}}} ({email}) pede para participar {company, select, unnamed {da sua empresa} other {da empresa {company}}} em {site}. O endereço está verificado e pertence a um domínio da empresa.',
        'Entre na sua conta para aprovar ou recusar o pedido. Nada muda até lá.',
      ],
      action: 'Abrir {site}',
    },

    joined_by_domain: {
      subject:
        '{person, select, unnamed {Alguém} other {{person}}} agora participa {company, select, unnamed {da sua empresa} other {da empresa {company}}}',
      preview: 'Pelo domínio do endereço de e-mail.',
      paragraphs: [
        '{person, select, unnamed {Alguém} other {{person}}} ({email}) agora participa {company, select, unnamed {da sua empresa} other {da empresa {company}}} em {site}. O endereço está verificado, e qualquer pessoa com um endereço deste domínio pode participar.',
        'Se essa pessoa não deveria estar lá, remova-a dos membros. Ela não poderá voltar com este endereço sem uma aprovação.',
      ],
      action: 'Abrir {site}',
    },

    join_approved: {
      subject: 'Você agora é membro {company, select, unnamed {de uma empresa} other {da empresa {company}}}',
      preview: 'Seu pedido para participar foi aprovado.',
      paragraphs: [
        'Seu pedido para participar {company, select, unnamed {de uma empresa} other {da empresa {company}}} em {site} foi aprovado. Entre como sempre para abri-la.',
      ],
      action: 'Abrir {site}',
    },

    join_declined: {
      subject:
        'Seu pedido para participar {company, select, unnamed {de uma empresa} other {da empresa {company}}} foi recusado',
      preview: 'Nada mudou na sua conta.',
      paragraphs: [
        'Seu pedido para participar {company, select, unnamed {de uma empresa} other {da empresa {company}}} em {site} foi recusado. Nada mudou na sua conta.',
        'Se você acha que foi um engano, fale com quem administra a empresa.',
      ],
      action: 'Abrir {site}',
    },

    domain_lapsed: {
      subject: '{domain} não está mais verificado',
      preview: 'O registro DNS está ausente há 7 dias.',
      paragraphs: [
        'O domínio {domain} {company, select, unnamed {da sua empresa} other {da empresa {company}}} em {site} não está mais verificado, porque o registro DNS está ausente há 7 dias. Quem tem um endereço deste domínio não pode mais participar por conta própria nem pedir para participar. Os membros continuam sendo membros.',
        'Publique o registro de novo e depois verifique o domínio outra vez.',
      ],
      action: 'Abrir {site}',
    },

    domain_moved: {
      subject: '{domain} foi verificado por outra empresa',
      preview: 'Ele não pertence mais à sua empresa.',
      paragraphs: [
        'Outra empresa em {site} provou com um registro DNS que controla o domínio {domain}. Ele não está mais verificado para {company, select, unnamed {a sua empresa} other {a empresa {company}}}. Os membros continuam sendo membros, mas quem tem um endereço deste domínio não pode mais participar por conta própria nem pedir para participar.',
        'Se você controla este domínio, verifique quem pode mudar os registros DNS e exclua os que não conhece. Depois publique o registro novo que {site} mostra para o domínio e verifique-o outra vez.',
      ],
      action: 'Abrir {site}',
    },

    company_deleted: {
      subject: '{company, select, unnamed {Sua empresa} other {A empresa {company}}} foi excluída',
      preview: 'Um proprietário ainda pode restaurá-la.',
      paragraphs: [
        '{by, select, unnamed {Um proprietário} other {{by}}} excluiu {company, select, unnamed {sua empresa} other {a empresa {company}}} em {site}. Os membros não têm mais acesso a ela.',
        'Qualquer proprietário pode restaurá-la, com todos os dados, até {until, date, day} ({until, time, clock}). Depois disso, ela será excluída definitivamente.',
        'Se você não esperava isso, alguém pode ter assumido o controle da conta de um proprietário. Se você era proprietário até há pouco e não consegue restaurar a empresa, fale com o suporte de {site}.',
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

    company_renamed: {
      subject: '{former, select, unnamed {Sua empresa} other {A empresa {former}}} tem um novo nome',
      preview: 'Agora ela se chama {company, select, unnamed {de outra forma} other {{company}}}.',
      paragraphs: [
        '{by, select, unnamed {Um membro} other {{by}}} mudou o nome de {former, select, unnamed {sua empresa} other {{former}}} em {site}. Agora ela se chama {company, select, unnamed {de outra forma} other {{company}}}, também nos e-mails sobre ela.',
        'Se você não esperava isso, alguém pode ter assumido o controle de uma conta. Verifique o registro de auditoria e os membros da sua empresa.',
      ],
      action: 'Abrir {site}',
    },

    company_restored: {
      subject: '{company, select, unnamed {Sua empresa} other {A empresa {company}}} foi restaurada',
      preview: 'Os membros podem usá-la de novo.',
      paragraphs: [
        '{by, select, unnamed {Um proprietário} other {{by}}} restaurou {company, select, unnamed {sua empresa} other {a empresa {company}}} em {site}, que tinha sido excluída. Os membros podem usá-la de novo, com todos os dados.',
        'Se você não esperava isso, alguém pode ter assumido o controle da conta de um proprietário. Verifique os membros da sua empresa.',
      ],
      action: 'Abrir {site}',
    },

    policy_loosened: {
      subject: 'A política de acesso de {company, select, unnamed {sua empresa} other {{company}}} foi afrouxada',
      preview: 'Agora ela deixa entrar sessões que antes não deixava.',
      paragraphs: [
        '{by, select, unnamed {Um membro} other {{by}}} alterou a política de acesso de {company, select, unnamed {sua empresa} other {{company}}} em {site}. Agora ela pede menos do que antes. O registro de auditoria mostra o que mudou.',
        'Se você não esperava isso, alguém pode ter assumido o controle de uma conta. Verifique a política e os membros da sua empresa.',
      ],
      action: 'Abrir {site}',
    },

    policy_tightened: {
      subject: 'A política de acesso de {company, select, unnamed {sua empresa} other {{company}}} ficou mais rígida',
      preview: 'Agora ela pede mais do que antes e pode não deixar você entrar.',
      paragraphs: [
        '{by, select, unnamed {Um membro} other {{by}}} alterou a política de acesso de {company, select, unnamed {sua empresa} other {{company}}} em {site}. Agora ela pede mais do que antes. Para abrir a empresa, talvez você precise entrar de novo, adicionar um segundo fator ou usar outra rede.',
        'Se você não esperava isso, alguém pode ter assumido o controle de uma conta. Verifique a política e os membros da sua empresa. Se não conseguir abri-la, fale imediatamente com o suporte de {site}.',
      ],
      action: 'Abrir {site}',
    },

    policy_reset: {
      subject: 'A política de acesso de {company, select, unnamed {sua empresa} other {{company}}} foi redefinida',
      preview: 'Ela não pede nada até que você a configure de novo.',
      paragraphs: [
        'A equipe de {site} redefiniu a política de acesso de {company, select, unnamed {sua empresa} other {{company}}}. Até que você a configure de novo, a empresa não pede segundo fator e aceita todas as redes.',
        'Se nenhum proprietário pediu isso, fale com o suporte de {site}.',
      ],
      action: 'Abrir {site}',
    },

    owners_changed: {
      subject: 'Os proprietários de {company, select, unnamed {sua empresa} other {{company}}} mudaram',
      preview: 'Confira se você esperava isso.',
      paragraphs: [
        '{change, select, made {{by, select, unnamed {Um proprietário} other {{by}}} deu a função de proprietário a {person, select, unnamed {um membro} other {{person}}}.} added {{by, select, unnamed {Um proprietário} other {{by}}} adicionou {person, select, unnamed {um membro} other {{person}}} com a função de proprietário.} joined {{person, select, unnamed {Um membro} other {{person}}} entrou com a função de proprietário, a convite de {by, select, unnamed {um proprietário} other {{by}}}.} reactivated {{by, select, unnamed {Um proprietário} other {{by}}} reativou {person, select, unnamed {um membro} other {{person}}}, com função de proprietário.} replaced {{by, select, unnamed {Um proprietário} other {{by}}} excluiu {person, select, unnamed {uma função} other {a função {person}}}: agora todos os que a tinham são {memberEmails, select, none {proprietários.} other {proprietários, como {memberEmails}.}}} transferred {{person, select, unnamed {Um membro} other {{person}}} aceitou a propriedade de {by, select, unnamed {um proprietário} other {{by}}}, que não a tem mais.} demoted {{by, select, unnamed {Um proprietário} other {{by}}} retirou a função de proprietário de {person, select, unnamed {um membro} other {{person}}}.} deactivated {{by, select, unnamed {Um proprietário} other {{by}}} desativou {person, select, unnamed {um membro} other {{person}}}, com função de proprietário.} removed {{by, select, unnamed {Um proprietário} other {{by}}} removeu {person, select, unnamed {um membro} other {{person}}}, com função de proprietário.} left {{person, select, unnamed {Um membro} other {{person}}}, com função de proprietário, saiu da empresa.} disabled {A equipe de {site} desativou a conta de {person, select, unnamed {um membro} other {{person}}}, com função de proprietário.} enabled {A equipe de {site} reativou a conta de {person, select, unnamed {um membro} other {{person}}}, com função de proprietário.} undone {A mudança do endereço de e-mail de {person, select, unnamed {um membro} other {{person}}}, com função de proprietário, foi desfeita. A participação fica inativa até que alguém a reative.} many {Os proprietários mudaram muitas vezes em uma hora. Pode haver outras mudanças sobre as quais não avisaremos por e-mail.} other {Os proprietários mudaram.}} {verified, select, no {O endereço de e-mail do novo proprietário não foi verificado. Isso aconteceu} other {Isso aconteceu}} em {company, select, unnamed {sua empresa} other {{company}}} em {site}, em {at, date, day} ({at, time, clock}).',
        'Se você esperava isso, não precisa fazer nada.',
        'Se você não esperava isso, alguém pode ter assumido o controle da conta de um proprietário. Entre na sua conta, verifique o registro de auditoria e os membros da sua empresa e corrija o que não estiver certo. Se não conseguir mais abrir a empresa, fale com o suporte de {site}.',
      ],
      action: 'Abrir {site}',
    },

    notices_withheld: {
      subject: 'Há mudanças sobre as quais não avisamos você',
      preview: 'Confira os registros de auditoria das suas empresas.',
      paragraphs: [
        'Tanta coisa mudou nas suas empresas em {site} em uma hora que não avisamos você de tudo por e-mail. {verified, select, no {Para receber estes e-mails de mais empresas, confirme o seu endereço nas configurações da sua conta.} other {Depois dessa hora, voltaremos a escrever para você.}}',
        'Se você não esperava isso, alguém pode estar escondendo uma mudança entre muitas. Entre na sua conta, verifique o registro de auditoria e os proprietários de cada uma das suas empresas e corrija o que não estiver certo.',
      ],
      action: 'Abrir {site}',
      after: [
        'Se você nunca criou uma conta com este endereço, outra pessoa a criou. Redefina a senha: isso encerra todas as sessões e torna a conta sua.',
      ],
      secondAction: 'Redefinir senha',
    },

    second_factor_due: {
      subject: '{company, select, unnamed {Sua empresa} other {{company}}} pede um segundo fator',
      preview: 'Adicione um à sua conta de {site} para manter o acesso.',
      paragraphs: [
        '{company, select, unnamed {Sua empresa} other {{company}}} em {site} pede aos membros um segundo fator, como códigos de um aplicativo ou uma chave de acesso. Sua conta ainda não tem nenhum.',
        'A partir de {until, date, day} ({until, time, clock}) você não poderá abrir a empresa sem ele. Adicione-o nas configurações da sua conta; isso também funciona depois dessa data.',
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

    mailbox_code: {
      subject: 'Seu código de confirmação',
      preview: 'Digite-o onde você está conectado ao {site}.',
      paragraphs: [
        'Alguém com a sessão aberta na sua conta em {site} quer {purpose, select, joining {entrar em uma empresa ou responder a um convite} other {adicionar a ela uma chave de acesso ou um aplicativo autenticador}}. Se for você, digite este código lá. O código vale por 15 minutos e só pode ser usado uma vez, apenas para isso.',
      ],
      after: [
        'Se não for você, outra pessoa sabe a sua senha. Não dê o código a ninguém e redefina sua senha: isso encerra todas as sessões.',
      ],
      secondAction: 'Redefinir senha',
    },

    passkey_copied: {
      subject: 'Uma das suas chaves de acesso pode ter sido copiada',
      preview: 'Recusamos uma entrada na sua conta em {site}.',
      paragraphs: [
        '{passkey, select, unnamed {Uma das suas chaves de acesso em {site}} other {A sua chave de acesso em {site} chamada {passkey}}} foi usada, mas o contador dela indicava que esse uso vinha antes de outro já feito. Alguém pode ter uma cópia, por isso a recusamos.',
        'Isso também pode acontecer depois que um dispositivo ou um aplicativo é restaurado de um backup. De qualquer forma, remova a chave de acesso da sua conta e crie uma nova.',
      ],
      action: 'Abrir {site}',
    },
  },
}
