import {
  askForEmail,
  clearFieldError,
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
import { passwordRules } from './password-rules.js'
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
  const input = element('password')
  const setRevealed = revealable(input, sentences)
  const rules = listRules(input, sentences)
  input.addEventListener('input', () => {
    clearFieldError(input)
    rules.tick()
  })
  whenSubmitted(element('choose'), sentences, async () => {
    // Browsers offer again what was typed into a field of plain text.
    setRevealed(false)
    if (input.value === '') return showFieldError(input, sentences.blank)
    if (!rules.tick()) return showFieldError(input, sentences.rulesNotKept)
    return savePassword(input, sentences)
  })
}

async function savePassword(input, sentences) {
  const answer = await post('api/auth/reset-password', { token, newPassword: input.value })
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

function revealable(input, { reveal, conceal }) {
  const toggle = element('reveal')
  const setRevealed = (revealed) => {
    const { label, name } = revealed ? conceal : reveal
    input.type = revealed ? 'text' : 'password'
    toggle.textContent = label
    toggle.setAttribute('aria-label', name)
  }
  setRevealed(false)
  toggle.addEventListener('click', () => setRevealed(input.type === 'password'))
  return setRevealed
}

/** Shows the rules; `tick` marks those that the password satisfies and returns whether it satisfies all. */
function listRules(input, { rules, kept, notKept }) {
  const lines = Object.entries(passwordRules).map(([name, isKept]) => {
    const line = document.createElement('li')
    const state = document.createElement('span')
    state.className = 'unseen'
    line.append(rules[name], state)
    return { line, state, isKept }
  })
  const tick = () => {
    for (const { line, state, isKept } of lines) {
      line.classList.toggle('kept', isKept(input.value))
      state.textContent = ` (${isKept(input.value) ? kept : notKept}). `
    }
    return lines.every(({ isKept }) => isKept(input.value))
  }
  element('rules').append(...lines.map(({ line }) => line))
  tick()
  return { tick }
}

function askForLink(sentences) {
  element('choose').remove()
  write(sentences)
  askForEmail(element('ask'), sentences, 'api/auth/forgot-password')
}
