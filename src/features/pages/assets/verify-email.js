import {
  askForEmail,
  conclude,
  element,
  isDead,
  offerSignIn,
  post,
  showOutcome,
  takeToken,
  tellTrouble,
  unbroken,
  whenSubmitted,
  write,
} from './page.js'
import { texts } from './texts.js'

const token = takeToken()
const sentences = texts.confirmAddress

write(sentences)
if (!token) offerNewLink(sentences.linkMissing)
else if (await isDead('api/auth/verify-email/check', token)) offerNewLink(sentences.linkInvalid)
else whenSubmitted(element('confirm'), sentences, confirm)

/** Only ever by the button: programs that check emails open their links, and must not confirm anything by it. */
async function confirm() {
  const answer = await post('api/auth/verify-email', { token })
  if (answer.ok) {
    conclude('success', sentences.confirmed)
    return offerSignIn()
  }
  if (answer.status === 400) return offerNewLink(sentences.linkInvalid)
  if (answer.status === 409) return conclude('failure', sentences.taken)
  return tellTrouble(answer)
}

/** After signing up a new link is one form away; a change of the address is repeated by who is signed in. */
function offerNewLink(outcome) {
  const { label, submit } = texts.newLink
  element('confirm').remove()
  showOutcome('failure', outcome)
  const form = element('resend')
  const hint = document.createElement('p')
  hint.className = 'hint'
  hint.textContent = unbroken(texts.newLink.intro)
  form.prepend(hint)
  form.querySelector('label').textContent = label
  form.querySelector('[type=submit]').textContent = submit
  askForEmail(form, texts.newLink, 'api/auth/verify-email/resend')
  element('heading').focus()
}
