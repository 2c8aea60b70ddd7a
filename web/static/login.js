// Signs in without leaving the page. Without script the form itself posts to /login.
import { canUsePasskeys, signInWithPasskey } from './passkey.js'

const form = document.querySelector('form')
const message = document.querySelector('#message')
const { password, next } = form.elements
const passkeyButton = document.querySelector('#passkey')
const buttons = [form.querySelector('button'), passkeyButton]

passkeyButton.hidden = passkeyButton.dataset.offered === undefined || !canUsePasskeys()

form.addEventListener('submit', async (event) => {
  event.preventDefault()
  await attempt(signInWithPassword)
  password.select()
})
passkeyButton.addEventListener('click', () => attempt(signInWithPasskey))

/** Goes on to the page that was wanted, or says why not. `signIn`: what went wrong, in words, or null. */
async function attempt (signIn) {
  for (const button of buttons) button.disabled = true
  message.textContent = ''
  const problem = await signIn()
  if (problem === null) {
    window.location.replace(next.value)
    return
  }
  message.textContent = problem
  for (const button of buttons) button.disabled = false
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
    const { error } = await response.json()
    return error
  } catch {
    return 'The service cannot be reached. Try again.'
  }
}
