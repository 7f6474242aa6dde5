import { Html, html } from '../../lib/html.ts'
import type { Page } from './document.ts'

/** What the pages lead to. */
export interface Destinations {
  /** APP_URL; undefined: the operator has not set where people sign in. */
  signIn: string | undefined
  /** Only what is served beside the pages, and never in production. */
  documentation: boolean
  /** Counts only with the documentation, whose password opens the mailbox to all who are not at this machine. */
  mailbox: boolean
}

export function homePage({ signIn, documentation, mailbox }: Destinations): Page {
  return {
    script: 'home',
    withoutScript: {
      en: 'This is the service behind the product. Sign in where you use the product. To reset your password here, turn on JavaScript, then reload the page.',
      es: 'Este es el servicio detrás del producto. Inicia sesión donde usas el producto. Para restablecer tu contraseña aquí, activa JavaScript y vuelve a cargar la página.',
      pt: 'Este é o serviço por trás do produto. Entre onde você usa o produto. Para redefinir sua senha aqui, ative o JavaScript e recarregue a página.',
    },
    main: html`<div id="ways" hidden>
<p id="intro" data-text="intro"></p>
${signInLink(signIn)}
<p class="ways">
<span data-text="forgotten"></span>
<a href="reset-password" data-text="reset"></a>
</p>
${documentation ? forDevelopers(mailbox) : ''}</div>`,
  }
}

const forDevelopers = (mailbox: boolean) => html`<section aria-labelledby="development">
<h2 id="development" data-text="development"></h2>
<p data-text="setting"></p>
<ul class="ways">
<li><a href="api/docs" data-text="documentation"></a></li>
${mailbox ? html`<li><a href="dev/mail" data-text="mailbox"></a></li>\n` : ''}</ul>
</section>
`

export const verifyEmailPage = ({ signIn }: Destinations): Page => ({
  script: 'verify-email',
  withoutScript: {
    en: 'This page needs JavaScript to confirm your email address. Turn it on, then reload the page.',
    es: 'Esta página necesita JavaScript para confirmar tu correo electrónico. Actívalo y vuelve a cargar la página.',
    pt: 'Esta página precisa de JavaScript para confirmar seu e-mail. Ative-o e recarregue a página.',
  },
  main: html`${OUTCOME}
${buttonForm('confirm')}
${emailForm('resend')}
${signInLink(signIn)}`,
})

export const undoEmailChangePage = (): Page => ({
  script: 'undo-email-change',
  withoutScript: {
    en: 'This page needs JavaScript to restore your email address. Turn it on, then reload the page.',
    es: 'Esta página necesita JavaScript para restaurar tu correo electrónico. Actívalo y vuelve a cargar la página.',
    pt: 'Esta página precisa de JavaScript para restaurar seu e-mail. Ative-o e recarregue a página.',
  },
  main: html`${OUTCOME}
${buttonForm('undo')}`,
})

export const undoFactorChangePage = (): Page => ({
  script: 'undo-factor-change',
  withoutScript: {
    en: 'This page needs JavaScript to undo the change to your account. Turn it on, then reload the page.',
    es: 'Esta página necesita JavaScript para deshacer el cambio en tu cuenta. Actívalo y vuelve a cargar la página.',
    pt: 'Esta página precisa de JavaScript para desfazer a mudança na sua conta. Ative-o e recarregue a página.',
  },
  main: html`${OUTCOME}
${buttonForm('undo')}`,
})

export const cancelFactorResetPage = (): Page => ({
  script: 'cancel-factor-reset',
  withoutScript: {
    en: 'This page needs JavaScript to cancel the removal of your second factors. Turn it on, then reload the page.',
    es: 'Esta página necesita JavaScript para cancelar que se quiten tus segundos factores. Actívalo y vuelve a cargar la página.',
    pt: 'Esta página precisa de JavaScript para cancelar a remoção dos seus segundos fatores. Ative-o e recarregue a página.',
  },
  main: html`${OUTCOME}
${buttonForm('cancel')}`,
})

export const resetPasswordPage = ({ signIn }: Destinations): Page => ({
  script: 'reset-password',
  withoutScript: {
    en: 'This page needs JavaScript to set a new password. Turn it on, then reload the page.',
    es: 'Esta página necesita JavaScript para guardar una contraseña nueva. Actívalo y vuelve a cargar la página.',
    pt: 'Esta página precisa de JavaScript para salvar uma nova senha. Ative-o e recarregue a página.',
  },
  main: html`${OUTCOME}
<form id="choose" method="post" novalidate hidden>
<label for="password" data-text="label"></label>
<p id="password-error" class="error"></p>
<div class="revealable">
<input id="password" type="password" autocomplete="new-password" autocapitalize="none" spellcheck="false" required aria-describedby="password-error rules">
<button type="button" id="reveal" aria-controls="password"></button>
</div>
<ul id="rules"></ul>
<div class="choice">
<input id="compromised" type="checkbox" autocomplete="off" aria-describedby="compromised-hint">
<label for="compromised" data-text="compromised"></label>
</div>
<p id="compromised-hint" class="hint" data-text="compromisedHint"></p>
<button type="submit" data-text="submit"></button>
</form>
${emailForm('ask')}
${signInLink(signIn)}`,
})

export const invitationPage = ({ signIn }: Destinations): Page => ({
  script: 'invitation',
  withoutScript: {
    en: 'This page needs JavaScript to show your invitation. Turn it on, then reload the page.',
    es: 'Esta página necesita JavaScript para mostrar tu invitación. Actívalo y vuelve a cargar la página.',
    pt: 'Esta página precisa de JavaScript para mostrar seu convite. Ative-o e recarregue a página.',
  },
  main: html`${OUTCOME}
<p id="hint" class="hint"></p>
<form id="register" method="post" novalidate hidden>
<label for="name" data-text="nameLabel"></label>
<p id="name-error" class="error"></p>
<input id="name" type="text" autocomplete="name" maxlength="100" required aria-describedby="name-error">
<label for="password" data-text="passwordLabel"></label>
<p id="password-error" class="error"></p>
<div class="revealable">
<input id="password" type="password" autocomplete="new-password" autocapitalize="none" spellcheck="false" required aria-describedby="password-error rules">
<button type="button" id="reveal" aria-controls="password"></button>
</div>
<ul id="rules"></ul>
<button type="submit"></button>
</form>
<form id="sign-in-form" method="post" novalidate hidden>
<label for="current" data-text="passwordLabel"></label>
<p id="current-error" class="error"></p>
<input id="current" type="password" autocomplete="current-password" autocapitalize="none" spellcheck="false" required aria-describedby="current-error">
<button type="submit"></button>
<p class="ways">
<a id="forgotten" href="reset-password" data-text="forgotten"></a>
<span data-text="afterReset"></span>
</p>
</form>
<form id="second-factor" method="post" novalidate hidden>
<label for="code" data-text="codeLabel"></label>
<p id="code-error" class="error"></p>
<input id="code" type="text" autocomplete="one-time-code" autocapitalize="none" spellcheck="false" maxlength="64" required aria-describedby="code-error">
<button type="submit"></button>
</form>
${buttonForm('decline')}
${signInLink(signIn)}`,
})

/** Read out by a screen reader whenever it is filled. */
const OUTCOME = new Html('<p id="intro" data-text="intro"></p>\n<p id="message" role="status"></p>')

const buttonForm = (id: string) => html`<form id="${id}" method="post" hidden>
<button type="submit" data-text="submit"></button>
</form>`

const emailForm = (id: string) => html`<form id="${id}" method="post" novalidate hidden>
<label for="email" data-text="label"></label>
<p id="email-error" class="error"></p>
<input id="email" type="email" autocomplete="email" autocapitalize="none" spellcheck="false" required aria-describedby="email-error">
<button type="submit" data-text="submit"></button>
</form>`

/** Shown after success. */
const signInLink = (address: string | undefined) =>
  address === undefined ? '' : html`<a id="sign-in" class="button" href="${address}" hidden></a>`
