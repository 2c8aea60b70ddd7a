// Signs in without leaving the page. Without this script, the form posts to /login.
import { canUsePasskeys, signInWithPasskey } from './passkey.js'

const form = document.querySelector('form')
const message = document.querySelector('#message')
/** The texts of the page, in its language. */
const words = document.querySelector('main').dataset
const { password, next } = form.elements
const passkeyButton = document.querySelector('#passkey')
const buttons = [form.querySelector('button'), passkeyButton]

passkeyButton.hidden = passkeyButton.dataset.offered === undefined || !canUsePasskeys()

form.addEventListener('submit', async (event) => {
  event.preventDefault()
  await attempt(signInWithPassword)
  password.select()
})
passkeyButton.addEventListener('click', () => attempt(() => signInWithPasskey({ words, explain })))
// The browser may show the page again in the state in which it was left.
window.addEventListener('pageshow', () => enable(true))

function enable (isEnabled) {
  for (const button of buttons) button.disabled = !isEnabled
}

/** Signs in, then opens the requested page or shows the problem. `signIn` resolves with a message, or null if it worked. */
async function attempt (signIn) {
  enable(false)
  message.textContent = ''
  const problem = await signIn()
  if (problem === null) {
    window.location.replace(next.value)
    return
  }
  message.textContent = problem
  enable(true)
}

/** Resolves with a message about what failed, or null. */
async function signInWithPassword () {
  try {
    const response = await window.fetch('/api/auth/login', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ password: password.value })
    })
    if (response.ok) return null
    return await explain(response, words.wrong)
  } catch {
    return words.unreachable
  }
}

/** Returns why the service refused; `refused` is the message for wrong credentials. */
async function explain (response, refused) {
  if (response.status === 401) return refused
  if (response.status === 429) return words.tooMany.replace('{seconds}', response.headers.get('retry-after') ?? '60')
  const { error } = await response.json()
  return error
}
