import { conclude, element, isDead, post, takeToken, tellTrouble, whenSubmitted, write } from './page.js'
import { texts } from './texts.js'

const token = takeToken()
const sentences = texts.cancelReset

write(sentences)
if (!token) conclude('failure', sentences.linkMissing)
else if (await isDead('api/auth/cancel-factor-reset/check', token)) conclude('failure', sentences.linkInvalid)
else whenSubmitted(element('cancel'), sentences, cancel)

/** Only ever by the button: programs that check emails open their links, and must not change anything by it. */
async function cancel() {
  const answer = await post('api/auth/cancel-factor-reset', { token })
  if (answer.ok) return conclude('success', sentences.cancelled, 'reset-password')
  if (answer.status === 400) return conclude('failure', sentences.linkInvalid)
  return tellTrouble(answer)
}
