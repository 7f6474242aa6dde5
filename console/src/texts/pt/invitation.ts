import type en from '../en/invitation.ts'
import type { Same } from '../types.ts'

export default {
  title: 'Você recebeu um convite',
  about: '{inviter} convidou você para participar da empresa {company}.',
  someone: 'Um membro',
  until: 'Válido até: {moment}',
  decline: {
    action: 'Recusar convite',
    title: 'Recusar este convite?',
    intro: 'Você não vai participar da empresa {company}. Se mudar de ideia, peça um novo convite.',
    done: 'Convite recusado.',
  },
  register: {
    intro: 'Crie sua conta para aceitar. O e-mail dela será {email}.',
    submit: 'Criar conta e aceitar',
  },
  signIn: {
    intro: 'Você já tem uma conta com {email}. Entre e depois aceite.',
    action: 'Entrar para aceitar',
  },
  accept: { intro: 'Você aceita com sua conta {email}.', action: 'Aceitar convite' },
  another: {
    title: 'Este convite é para outra pessoa',
    intro: 'Você entrou como {account}, e ele foi enviado para {email}.',
    action: 'Sair e continuar',
    stay: 'Continuar nesta conta',
  },
  password: {
    intro: 'Você entrou com uma senha temporária. Escolha a sua e abra de novo o link do e-mail.',
    action: 'Escolher senha',
  },
  noAccounts: 'Não é possível criar contas novas aqui. Peça à empresa para adicionar você.',
  joined: 'Agora você é membro da empresa {company}.',
  inactive: {
    title: 'Seu vínculo está inativo',
    intro: 'Você já participava da empresa {company}. Peça a um administrador para ativar seu vínculo.',
  },
  open: 'Abrir {site}',
  declined: { title: 'Convite recusado', intro: 'Nada mudou na empresa. Você já pode fechar esta página.' },
  dead: {
    title: 'Este link não funciona mais',
    intro:
      'O convite foi respondido, cancelado ou enviado de novo, ou expirou. Se você o aceitou, já participa da empresa; se não, peça um novo.',
  },
  void: {
    title: 'Este convite não é mais válido',
    intro: 'Quem o enviou não pode mais convidar você. Peça um novo convite.',
  },
  join: {
    title: 'Participar de uma empresa',
    about:
      'Com este link você pode participar da empresa {company}. Para isso, precisa de uma conta com um e-mail que possa confirmar.',
    signIn: 'Entrar para participar',
    signUp: 'Criar uma conta',
    as: 'Você participa da empresa {company} com sua conta {email}.',
    action: 'Participar da empresa',
    confirm: 'Confirme seu e-mail primeiro. Podemos enviar um link para você; depois volte a esta página.',
    send: 'Enviar link',
    sent: 'Enviamos um link para {email}.',
    confirmNext: 'Enviamos um link para {email}. Abra-o e depois volte aqui para participar.',
    missing:
      'Falta uma parte do link; isso também acontece quando a página é recarregada. Abra novamente o link que você recebeu.',
    dead: 'Ele expirou, foi cancelado ou já foi usado tantas vezes quanto podia. Peça um novo.',
  },
  code: {
    title: 'Verifique sua caixa de entrada',
    intro: 'Enviamos um código para seu e-mail, para que ninguém mais possa responder ou participar no seu lugar.',
    label: 'Código do e-mail',
    submit: 'Confirmar',
  },
  own: {
    title: 'Convites e participação',
    intro: 'Empresas que convidaram você e empresas de que você pode participar.',
    invitations: 'Convites para você',
    from: 'De {inviter}, válido até {day}',
    none: 'Nenhuma empresa espera sua resposta.',
    unconfirmed: 'Confirme seu e-mail para ver os convites: eles são de quem lê essa caixa de entrada.',
    accept: 'Aceitar',
    acceptOf: 'Aceitar o convite da empresa {company}',
    decline: 'Recusar',
    declineOf: 'Recusar o convite da empresa {company}',
    task: '{count, plural, one {Uma empresa convidou você} many {# empresas convidaram você} other {# empresas convidaram você}}',
    view: 'Ver convites',
  },
  joinable: {
    title: 'Empresas de que você pode participar',
    intro: 'Elas verificaram o domínio do seu e-mail.',
    none: 'Neste momento não há nenhuma empresa de que você possa participar com seu e-mail.',
    auto: 'Você participa na hora',
    request: 'Um administrador decide',
    requested: 'Pedido de {day}',
    join: 'Participar',
    joinOf: 'Participar da empresa {company}',
    ask: 'Pedir para participar',
    askOf: 'Pedir para participar da empresa {company}',
    withdraw: 'Retirar',
    withdrawOf: 'Retirar o pedido à empresa {company}',
    asked: 'Seu pedido foi enviado à empresa {company}. Vamos avisar por e-mail quando ela decidir.',
    withdrawn: 'Pedido retirado.',
  },
} satisfies Same<typeof en>
