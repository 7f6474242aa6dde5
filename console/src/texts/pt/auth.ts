import type en from '../en/auth.ts'
import type { Same } from '../types.ts'

export default {
  signIn: {
    title: 'Entrar',
    intro: 'Que bom ter você de volta em {site}.',
    submit: 'Entrar',
    or: 'ou',
    passkey: 'Entrar com uma chave de acesso',
    forgotten: 'Esqueceu sua senha?',
    noAccount: 'Ainda não tem uma conta?',
    signUp: 'Criar conta',
    ended: 'Sua sessão terminou. Entre de novo para continuar de onde parou.',
  },
  signUp: {
    title: 'Crie sua conta',
    intro: 'Uma conta para você e a primeira empresa que você administra com ela.',
    joining: 'Cada conta começa com uma empresa própria. Depois desta etapa, você participa da empresa {company}.',
    company: 'Sua empresa',
    submit: 'Criar conta',
    hasAccount: 'Já tem uma conta?',
    signIn: 'Entrar',
  },
  fields: {
    name: 'Seu nome',
    email: 'E-mail',
    password: 'Senha',
    newPassword: 'Nova senha',
    currentPassword: 'Senha atual',
    temporaryPassword: 'Senha temporária',
    companyName: 'Nome da empresa',
    taxId: 'Identificação fiscal',
    taxIdHint: 'O número de registro da sua empresa para impostos, como o CNPJ.',
  },
  compromised: {
    label: 'Outra pessoa pode ter usado minha conta',
    hint: 'Assim, os convites, os links e as senhas temporárias dados a partir dela também param de funcionar.',
  },
  secondFactor: {
    title: 'Confirme que é você',
    submit: 'Entrar',
    back: 'Usar outra conta',
  },
  proofs: {
    passkey: {
      intro: 'Seu dispositivo pede sua digital, seu rosto ou o PIN dele.',
      label: 'Usar chave de acesso',
      choose: 'Usar uma chave de acesso',
    },
    totp: {
      intro: 'Digite o código que seu aplicativo autenticador mostra agora.',
      label: 'Código',
      missing: 'Digite os seis dígitos do seu aplicativo.',
      choose: 'Usar o aplicativo autenticador',
    },
    recovery_code: {
      intro: 'Digite um dos códigos de recuperação que você guardou. Cada um funciona uma única vez.',
      label: 'Código de recuperação',
      missing: 'Digite um código de recuperação.',
      wrong: 'Este código de recuperação não está correto ou já foi usado. Depois de várias tentativas, entre de novo.',
      choose: 'Usar um código de recuperação',
    },
    password: {
      intro: 'Digite sua senha.',
      label: 'Senha',
      missing: 'Digite sua senha.',
      choose: 'Usar sua senha',
    },
  },
  stepUp: {
    title: 'Confirme que é você',
    intro: 'Depois, o que você pediu continua.',
    submit: 'Confirmar',
  },
  changePassword: {
    title: 'Escolha sua própria senha',
    intro: 'Você entrou com uma senha temporária. Troque a senha para continuar.',
    submit: 'Salvar senha',
    signOut: 'Sair',
  },
  rules: {
    title: 'Sua senha precisa de:',
    length: 'De 8 a 128 caracteres',
    uppercase: 'Uma letra maiúscula',
    lowercase: 'Uma letra minúscula',
    digit: 'Um número',
    met: 'atendido',
    notMet: 'pendente',
    missing: 'Esta senha ainda não atende a todos os requisitos.',
  },
  required: {
    name: 'Digite seu nome.',
    email: 'Digite um endereço de e-mail como ana@example.com.',
    password: 'Digite sua senha.',
    companyName: 'Digite o nome da sua empresa.',
    taxId: 'Digite a identificação fiscal da sua empresa.',
  },
} satisfies Same<typeof en>
