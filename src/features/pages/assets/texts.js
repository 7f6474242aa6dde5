import en from './texts.en.js'

/** A further language is a module like texts.en.js and one word here. */
const languages = { en }

const wanted = navigator.languages.map((tag) => tag.split('-')[0].toLowerCase())

export const language = wanted.find((tag) => Object.hasOwn(languages, tag)) ?? 'en'
export const texts = languages[language]
