import { language, texts } from './texts.js'

const ANSWER_MS = 20_000
/** A check that takes longer is not waited for: using the link will tell. */
const CHECK_MS = 5000
const CHECK_HINT_MS = 400

export const element = (id) => document.getElementById(id)

/** Removes the token from the address at once: it would stay in the history and be visible on the screen. */
export function takeToken() {
  const token = new URLSearchParams(location.search).get('token') ?? ''
  history.replaceState(null, '', here())
  return token
}

/** This page without a token, in the language that it is shown in. */
const here = () => `${location.pathname}?lang=${language}`

export function write(sentences) {
  document.documentElement.lang = language
  setTitle(sentences.title)
  for (const place of document.querySelectorAll('[data-text]'))
    place.textContent = unbroken(sentences[place.dataset.text])
}

/** No line ends within an “e-mail” of Portuguese; in an address the hyphen stays what it is. */
export const unbroken = (sentence) =>
  sentence?.replace(/(?<![\w.@-])e-mail(?=s?(?![\w@.-]*@))/gi, (word) => word.replace('-', '\u2011'))

function setTitle(title) {
  document.title = `${title} · ${document.querySelector('[name=application-name]').content}`
}

/** Calls the API. Status 0: there was no answer, or what answered was something else, such as the sign-in page of a network. */
export async function post(path, body, { timeoutMs = ANSWER_MS, accessToken } = {}) {
  try {
    const answer = await fetch(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(accessToken && { authorization: `Bearer ${accessToken}` }) },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(timeoutMs),
    })
    const content = (await answer.json().catch(() => undefined)) ?? {}
    return {
      ok: answer.ok && content.success === true,
      status: answer.ok && content.success !== true ? 0 : answer.status,
      code: content.code,
      challenge: content.challenge,
      data: content.data,
      details: content.details ?? [],
      retryAfterSeconds: Number(answer.headers.get('retry-after')) || 0,
    }
  } catch {
    return { ok: false, status: 0, details: [], retryAfterSeconds: 0 }
  }
}

/** Whether the API refuses the token. Asked before anything is typed; without a clear answer the link counts as good. */
export async function isDead(path, token) {
  const hint = setTimeout(() => say('notice', texts.checking), CHECK_HINT_MS)
  const { status, code } = await post(path, { token }, { timeoutMs: CHECK_MS })
  clearTimeout(hint)
  say('', '')
  return status === 400 && (code === 'link_invalid' || code === 'validation_failed')
}

/** Sends a form, one submission at a time, and again only when the wait that the API asked for is over. */
export function whenSubmitted(form, { submit, busy }, send) {
  const button = form.querySelector('[type=submit]')
  // Not the attribute `disabled`, which would take the focus away from the button that was just pressed.
  const hold = (held) => button.setAttribute('aria-disabled', String(held))
  form.hidden = false
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    if (button.getAttribute('aria-disabled') === 'true') return
    hold(true)
    say('', '')
    button.textContent = busy
    const { secondsToWait = 0 } = (await send()) ?? {}
    button.textContent = submit
    if (secondsToWait > 0) await countDown(button, secondsToWait)
    hold(false)
  })
}

/** The counting seconds are hidden from screen readers: the message already says how long to wait. */
async function countDown(button, seconds) {
  const rest = document.createElement('span')
  rest.className = 'rest'
  rest.setAttribute('aria-hidden', 'true')
  button.append(rest)
  const end = Date.now() + seconds * 1000
  for (let left = seconds; left > 0; left = Math.ceil((end - Date.now()) / 1000)) {
    rest.textContent = `${left} s`
    await new Promise((resume) => setTimeout(resume, 250))
  }
  rest.remove()
  say('notice', texts.trouble.waitIsOver)
}

/** A form for an address. Its result is the same whether or not the address has an account. */
export function askForEmail(form, sentences, path) {
  const input = element('email')
  input.addEventListener('input', () => clearFieldError(input))
  whenSubmitted(form, sentences, async () => {
    const email = input.value.trim()
    if (!input.validity.valid) return showFieldError(input, sentences.malformed)
    const answer = await post(path, { email })
    if (answer.ok) return conclude('success', sentences.asked(email))
    if (reasonsAgainst('email', answer).length > 0) return showFieldError(input, sentences.malformed)
    return tellTrouble(answer)
  })
}

export const reasonsAgainst = (path, { details }) =>
  details.filter((detail) => detail.path === path).map(({ message }) => message)

/** Says what another try can solve, and returns how long to wait before it. */
export function tellTrouble({ status, retryAfterSeconds }) {
  const { trouble } = texts
  if (status === 429) {
    say('failure', trouble.tooManyRequests(retryAfterSeconds))
    return { secondsToWait: retryAfterSeconds }
  }
  say('failure', status === 0 ? trouble.noAnswer : trouble.failed)
}

/** The last word of the page: the forms go, and with them what was typed. `next` leads to another page, or to this one anew. */
export function conclude(tone, { heading, message, next }, page) {
  for (const form of document.querySelectorAll('form')) form.remove()
  element('hint')?.remove()
  showOutcome(tone, { heading, message })
  if (next) element('message').after(linkTo(page ? `${page}?lang=${language}` : here(), next))
  element('heading').focus()
}

/** The same where a form that helps stays. */
export function showOutcome(tone, { heading, message }) {
  element('intro')?.remove()
  setTitle(heading)
  element('heading').textContent = unbroken(heading)
  say(tone, message)
}

function linkTo(address, text) {
  const link = document.createElement('a')
  link.className = 'next'
  link.href = address
  link.textContent = text
  return link
}

/** Leads on, where the operator has said where people sign in and that is not the page at the root of this service. */
export function offerSignIn() {
  const link = element('sign-in')
  if (!link || `${link.href}/`.replace(/\/+$/, '/') === new URL('./', location.href).href) return
  link.textContent = texts.signIn
  link.hidden = false
}

function say(tone, sentence) {
  const message = element('message')
  message.dataset.tone = tone
  message.textContent = unbroken(sentence)
}

export function showFieldError(input, sentence) {
  element(`${input.id}-error`).textContent = sentence
  input.setAttribute('aria-invalid', 'true')
  input.focus()
}

export function clearFieldError(input) {
  element(`${input.id}-error`).textContent = ''
  input.removeAttribute('aria-invalid')
}
