import { newPasswordField } from './new-password.js'
import {
  clearFieldError,
  conclude,
  element,
  offerSignIn,
  post,
  reasonsAgainst,
  showFieldError,
  takeToken,
  tellTrouble,
  unbroken,
  whenSubmitted,
  write,
} from './page.js'
import { language, texts } from './texts.js'

const token = takeToken()
const sentences = texts.invitation

write(sentences)
if (token) await open()
else conclude('failure', texts.confirmAddress.linkMissing)

/** Nothing is answered before a button is pressed: programs that check emails open their links. */
async function open() {
  const seen = await post('api/auth/invitations/preview', { token })
  if (seen.status === 400) return conclude('failure', sentences.linkInvalid)
  if (!seen.ok) return tellTrouble(seen)
  const { company, inviter, email, next } = seen.data
  element('intro').textContent = unbroken(sentences.about({ company: company.name, inviter: inviter?.name, email }))
  label('decline', sentences.decline.submit)
  whenSubmitted(element('decline'), sentences.decline, decline)
  if (next === 'register') return offerAccount({ company: company.name, email })
  element('register').remove()
  if (next === 'sign_in') return offerAcceptance({ company: company.name, email })
  element('sign-in-form').remove()
  element('hint').textContent = sentences.noAccounts
}

function label(form, text) {
  element(form).querySelector('[type=submit]').textContent = text
}

function offerAccount({ company, email }) {
  const name = element('name')
  label('register', sentences.register.submit)
  const readPassword = newPasswordField(texts.choosePassword)
  name.addEventListener('input', () => clearFieldError(name))
  whenSubmitted(element('register'), sentences.register, async () => {
    if (name.value.trim() === '') return showFieldError(name, sentences.register.nameMissing)
    const password = readPassword()
    if (!password) return undefined
    const body = { token, name: name.value.trim(), password: password.value, locale: language }
    const answer = await post('api/auth/invitations/register', body)
    if (answer.ok) return finish(answer.data, company)
    const reasons = reasonsAgainst('password', answer)
    if (reasons.length > 0) return showFieldError(password, reasons.map(texts.choosePassword.refused).join(' '))
    if (reasonsAgainst('name', answer).length > 0) return showFieldError(name, sentences.register.nameRefused)
    if (answer.code === 'email_taken') {
      element('register').remove()
      return offerAcceptance({ company, email })
    }
    return answer.code === 'email_reserved' ? conclude('failure', sentences.reserved) : tellRefusal(answer)
  })
}

function offerAcceptance({ company, email }) {
  const input = element('current')
  element('forgotten').href = `reset-password?lang=${language}`
  element('hint').textContent = unbroken(sentences.signIn.intro)
  label('sign-in-form', sentences.signIn.submit)
  input.addEventListener('input', () => clearFieldError(input))
  whenSubmitted(element('sign-in-form'), sentences.signIn, async () => {
    if (input.value === '') return showFieldError(input, sentences.signIn.blank)
    const signedIn = await post('api/auth/login', { email, password: input.value })
    if (signedIn.code === 'credentials_wrong') return showFieldError(input, sentences.signIn.wrong)
    if (signedIn.code === 'second_factor_required') return askForCode(signedIn.challenge, company)
    if (!signedIn.ok) return signedIn.status === 401 ? conclude('failure', sentences.elsewhere) : tellTrouble(signedIn)
    return accept(signedIn.data, company)
  })
}

/** A passkey alone is for the product: this page may be served from another address than the passkey is bound to. */
function askForCode({ token: challenge, methods }, company) {
  if (!methods.includes('totp') && !methods.includes('recovery_code')) return conclude('failure', sentences.elsewhere)
  const input = element('code')
  element('sign-in-form').remove()
  element('hint').textContent = unbroken(sentences.code.intro)
  label('second-factor', sentences.code.submit)
  input.addEventListener('input', () => clearFieldError(input))
  whenSubmitted(element('second-factor'), sentences.code, async () => {
    const typed = input.value.replace(/\s/g, '')
    if (typed === '') return showFieldError(input, sentences.code.blank)
    const given = /^\d{6}$/.test(typed) ? { code: typed } : { recoveryCode: typed }
    const signedIn = await post('api/auth/login/second-factor', { challenge, ...given })
    if (signedIn.status === 401) return showFieldError(input, sentences.code.wrong)
    return signedIn.ok ? accept(signedIn.data, company) : tellTrouble(signedIn)
  })
  input.focus()
}

async function accept(tokens, company) {
  const answer = await post('api/auth/invitations/accept', { token }, { accessToken: tokens.accessToken })
  if (answer.ok) return finish(tokens, company)
  await signOut(tokens)
  return tellRefusal(answer)
}

/** This page keeps no session: the product, whose page opens next, has a place of its own for it. */
function signOut({ accessToken, refreshToken }) {
  return post('api/auth/logout', { refreshToken }, { accessToken })
}

async function finish(tokens, company) {
  await signOut(tokens)
  conclude('success', sentences.joined(company))
  offerSignIn()
}

async function decline() {
  const answer = await post('api/auth/invitations/decline', { token })
  return answer.ok ? conclude('success', sentences.declined) : tellRefusal(answer)
}

function tellRefusal(answer) {
  if (answer.status === 400) return conclude('failure', sentences.linkInvalid)
  if (answer.status === 422) return conclude('failure', sentences.noLongerValid)
  if (answer.status === 403) return conclude('failure', sentences.elsewhere)
  return tellTrouble(answer)
}
