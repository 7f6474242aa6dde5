import { newPasswordField } from './new-password.js'
import {
  askForEmail,
  conclude,
  element,
  isDead,
  offerSignIn,
  post,
  reasonsAgainst,
  showFieldError,
  takeToken,
  tellTrouble,
  whenSubmitted,
  write,
} from './page.js'
import { texts } from './texts.js'

const token = takeToken()

if (token) await open(texts.choosePassword)
else askForLink(texts.askForLink)

/** An invalid link is reported before the user types a new password. */
async function open(sentences) {
  element('ask').remove()
  write(sentences)
  if (await isDead('api/auth/reset-password/check', token)) conclude('failure', sentences.linkInvalid)
  else choosePassword(sentences)
}

function choosePassword(sentences) {
  const read = newPasswordField(sentences)
  whenSubmitted(element('choose'), sentences, async () => {
    const input = read()
    return input && savePassword(input, sentences)
  })
}

async function savePassword(input, sentences) {
  const { checked } = element('compromised')
  const answer = await post('api/auth/reset-password', { token, newPassword: input.value, compromised: checked })
  if (answer.ok) {
    conclude('success', sentences.saved)
    return offerSignIn()
  }
  const reasons = reasonsAgainst('newPassword', answer)
  if (reasons.length > 0) return showFieldError(input, reasons.map(sentences.refused).join(' '))
  if (answer.code === 'password_unchanged') return showFieldError(input, sentences.unchanged)
  if (answer.status === 400) return conclude('failure', sentences.linkInvalid)
  return tellTrouble(answer)
}

function askForLink(sentences) {
  element('choose').remove()
  write(sentences)
  askForEmail(element('ask'), sentences, 'api/auth/forgot-password')
}
