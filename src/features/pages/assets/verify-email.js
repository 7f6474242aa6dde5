import { conclude, element, post, takeToken, tellTrouble, whenSubmitted, write } from './page.js'
import { texts } from './texts.js'

const token = takeToken()
const sentences = texts.confirmAddress

write(sentences)
if (token) whenSubmitted(element('confirm'), sentences, confirm)
else conclude('failure', sentences.linkMissing)

/** Only ever by the button: programs that check letters open their links, and must not confirm anything by it. */
async function confirm() {
  const answer = await post('api/auth/verify-email', { token })
  if (answer.ok) return conclude('success', sentences.confirmed)
  if (answer.status === 400) return conclude('failure', sentences.linkInvalid)
  if (answer.status === 409) return conclude('failure', sentences.taken)
  return tellTrouble(answer)
}
