import { conclude, element, isDead, post, takeToken, tellTrouble, whenSubmitted, write } from './page.js'
import { texts } from './texts.js'

const token = takeToken()
const sentences = texts.restoreAddress

write(sentences)
if (!token) conclude('failure', sentences.linkMissing)
else if (await isDead('api/auth/undo-email-change/check', token)) conclude('failure', sentences.linkInvalid)
else whenSubmitted(element('undo'), sentences, restore)

/** Only ever by the button: programs that check emails open their links, and must not change anything by it. */
async function restore() {
  const answer = await post('api/auth/undo-email-change', { token })
  if (answer.ok) return conclude('success', sentences.restored)
  if (answer.status === 400) return conclude('failure', sentences.linkInvalid)
  if (answer.status === 409) return conclude('failure', sentences.taken)
  return tellTrouble(answer)
}
