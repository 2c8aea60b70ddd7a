// Signs in without leaving the page. Without script the form itself posts to /login.
const form = document.querySelector('form')
const message = document.querySelector('#message')
const { password, next } = form.elements
const button = form.querySelector('button')

form.addEventListener('submit', async (event) => {
  event.preventDefault()
  button.disabled = true
  message.textContent = ''
  const problem = await signIn()
  if (problem === null) {
    window.location.replace(next.value)
    return
  }
  message.textContent = problem
  button.disabled = false
  password.select()
})

/** What went wrong, in words, or null. */
async function signIn () {
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
