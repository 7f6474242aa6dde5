import { conclude, element, isDead, post, takeToken, tellTrouble, whenSubmitted, write } from './page.js'
import { texts } from './texts.js'

const token = takeToken()
const sentences = texts.undoFactor

write(sentences)
if (!token) conclude('failure', sentences.linkMissing)
else if (await isDead('api/auth/undo-factor-change/check', token)) conclude('failure', sentences.linkInvalid)
else whenSubmitted(element('undo'), sentences, undo)

/** Only ever by the button: programs that check emails open their links, and must not change anything by it. */
async function undo() {
  const answer = await post('api/auth/undo-factor-change', { token })
  if (answer.ok) return conclude('success', sentences.undone)
  if (answer.status === 400) return conclude('failure', sentences.linkInvalid)
  return tellTrouble(answer)
}
