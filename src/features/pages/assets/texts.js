import en from './texts.en.js'
import es from './texts.es.js'
import pt from './texts.pt.js'

const languages = { en, es, pt }

/** The link in an email says which language the email is in; without one, the browser's languages count. */
const linked = new URLSearchParams(location.search).get('lang')
const wanted = [linked ?? '', ...navigator.languages].map((tag) => tag.split('-')[0].toLowerCase())

export const language = wanted.find((tag) => Object.hasOwn(languages, tag)) ?? 'en'
export const texts = languages[language]
