// Signs in without leaving the page. Without script the form itself posts to /login.
import { canUsePasskeys, signInWithPasskey } from './passkey.js'

const form = document.querySelector('form')
const message = document.querySelector('#message')
/** What the page says, in its language. */
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
// A page that is shown again as it was left can be used again.
window.addEventListener('pageshow', () => enable(true))

function enable (isEnabled) {
  for (const button of buttons) button.disabled = !isEnabled
}

/** Goes on to the page that was wanted, or says why not. `signIn`: what went wrong, in words, or null. */
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

/** What went wrong, in words, or null. */
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

/** Why the service has refused; `refused` is said for credentials that are not taken. */
async function explain (response, refused) {
  if (response.status === 401) return refused
  if (response.status === 429) return words.tooMany.replace('{seconds}', response.headers.get('retry-after') ?? '60')
  const { error } = await response.json()
  return error
}
