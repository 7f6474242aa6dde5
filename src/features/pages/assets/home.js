import { element, offerSignIn, write } from './page.js'
import { texts } from './texts.js'

write(texts.home)
// Shown only now: a link without its text would be a stop of the keyboard that says nothing.
element('ways').hidden = false
offerSignIn()
