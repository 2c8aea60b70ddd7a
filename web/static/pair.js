// Exchanges a pairing code for a session of this browser. The code comes behind the # of the address, which no server is told.
const chinese = {
  title: '配对此浏览器',
  label: '配对码',
  button: '使用此浏览器',
  note: '已登录的浏览器会在“设置 › 设备与令牌”中显示配对码，只能使用一次。',
  unreachable: '无法连接到服务，请重试。'
}
const speaksChinese = /^zh\b/i.test(window.navigator.language)

const form = document.querySelector('form')
const message = document.querySelector('#message')
const { code } = form.elements
const button = form.querySelector('button')

if (speaksChinese) {
  document.documentElement.lang = 'zh'
  document.title = chinese.title
  form.querySelector('label').textContent = chinese.label
  button.textContent = chinese.button
  document.querySelector('#note').textContent = chinese.note
}

// It is not to stay in the history. What is in no code is not decoded either: that could fail, and the form would be sent by the browser.
code.value = window.location.hash.slice(1)
window.history.replaceState(null, '', window.location.pathname)
if (code.value === '') code.focus()
else button.focus()

form.addEventListener('submit', async (event) => {
  event.preventDefault()
  button.disabled = true
  message.textContent = ''
  const problem = await pair()
  if (problem === null) {
    window.location.replace('/')
    return
  }
  message.textContent = problem
  button.disabled = false
  code.select()
})

/** What went wrong, in words, or null. */
async function pair () {
  try {
    const response = await window.fetch('/api/auth/pair', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ code: code.value, as: 'session' })
    })
    if (response.ok) return null
    const { error } = await response.json()
    return error
  } catch {
    return speaksChinese ? chinese.unreachable : 'The service cannot be reached. Try again.'
  }
}
