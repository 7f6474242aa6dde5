import {
  clearFieldError,
  conclude,
  element,
  post,
  showFieldError,
  takeToken,
  tellTrouble,
  whenSubmitted,
  write,
} from './page.js'
import { passwordRules } from './password-rules.js'
import { texts } from './texts.js'

const token = takeToken()

if (token) choosePassword(texts.choosePassword)
else askForLink(texts.askForLink)

function choosePassword(sentences) {
  element('ask').remove()
  write(sentences)
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
  if (answer.ok) return conclude('success', sentences.saved)
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

/** Shows the rules; `tick` marks those that are kept, and tells whether all are. */
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
  const input = element('email')
  input.addEventListener('input', () => clearFieldError(input))
  whenSubmitted(element('ask'), sentences, async () => {
    const email = input.value.trim()
    if (!input.validity.valid) return showFieldError(input, sentences.malformed)
    const answer = await post('api/auth/forgot-password', { email })
    if (answer.ok) return conclude('success', sentences.asked(email))
    if (reasonsAgainst('email', answer).length > 0) return showFieldError(input, sentences.malformed)
    return tellTrouble(answer)
  })
}

const reasonsAgainst = (path, { details }) =>
  details.filter((detail) => detail.path === path).map(({ message }) => message)
