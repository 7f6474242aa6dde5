import { clearFieldError, element, showFieldError } from './page.js'
import { passwordRules } from './password-rules.js'

/** The field for a new password, with its rules. Returns a function that gives the password, or says what it lacks. */
export function newPasswordField(sentences) {
  const input = element('password')
  const setRevealed = revealable(input, sentences)
  const rules = listRules(input, sentences)
  input.addEventListener('input', () => {
    clearFieldError(input)
    rules.tick()
  })
  return () => {
    // Browsers offer again what was typed into a field of plain text.
    setRevealed(false)
    if (input.value === '') return showFieldError(input, sentences.blank)
    if (!rules.tick()) return showFieldError(input, sentences.rulesNotKept)
    return input
  }
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
