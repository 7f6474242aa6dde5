import { language, texts } from './texts.js'

const ANSWER_MS = 20_000

export const element = (id) => document.getElementById(id)

/** Out of the address at once: there it would stay in the history and be seen by whoever looks at the screen. */
export function takeToken() {
  const token = new URLSearchParams(location.search).get('token') ?? ''
  history.replaceState(null, '', location.pathname)
  return token
}

export function write(sentences) {
  document.documentElement.lang = language
  document.title = `${sentences.title} · Tenantry`
  for (const place of document.querySelectorAll('[data-text]')) place.textContent = sentences[place.dataset.text]
}

/** Calls the API. Status 0: there was no answer, or what answered was something else, such as the sign-in page of a network. */
export async function post(path, body) {
  try {
    const answer = await fetch(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(ANSWER_MS),
    })
    const said = (await answer.json().catch(() => undefined)) ?? {}
    return {
      ok: answer.ok && said.success === true,
      status: answer.ok && said.success !== true ? 0 : answer.status,
      code: said.code,
      details: said.details ?? [],
      retryAfterSeconds: Number(answer.headers.get('retry-after')) || 0,
    }
  } catch {
    return { ok: false, status: 0, details: [], retryAfterSeconds: 0 }
  }
}

/** Sends a form, one submission at a time, and again only when the wait that the API asked for is over. */
export function whenSubmitted(form, { submit, busy }, send) {
  const button = form.querySelector('[type=submit]')
  // Not the attribute `disabled`, which would take the focus away from whoever just pressed the button.
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

/** Shown on the button only to the eye: a screen reader, told the seconds in the message, need not hear each of them. */
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

/** Says what can be mended by another try, and returns how long to wait before it. */
export function tellTrouble({ status, retryAfterSeconds }) {
  const { trouble } = texts
  if (status === 429) {
    say('failure', trouble.tooManyRequests(retryAfterSeconds))
    return { secondsToWait: retryAfterSeconds }
  }
  say('failure', status === 0 ? trouble.noAnswer : trouble.failed)
}

/** The last word of the page: the form goes, and with it what was typed. */
export function conclude(tone, { heading, message, next }) {
  document.querySelector('form')?.remove()
  element('intro').remove()
  document.title = `${heading} · Tenantry`
  element('heading').textContent = heading
  say(tone, message)
  if (next) element('message').after(linkToStart(next))
  element('heading').focus()
}

function linkToStart(text) {
  const link = document.createElement('a')
  link.href = location.pathname
  link.textContent = text
  return link
}

function say(tone, sentence) {
  const message = element('message')
  message.dataset.tone = tone
  message.textContent = sentence
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
