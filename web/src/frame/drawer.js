// Runs in a frame of its own (diagrams.ts): takes the library as text, and then draws one diagram for each message.
addEventListener('message', async ({ source, data }) => {
  if (source !== parent) return
  if (typeof data.script === 'string') {
    const script = document.createElement('script')
    script.textContent = data.script
    document.head.append(script)
    return
  }
  const { id, code, settings } = data
  if (typeof code !== 'string') return
  try {
    mermaid.initialize(settings)
    const { svg } = await mermaid.render('diagram', code)
    const holder = document.createElement('div')
    holder.innerHTML = svg
    parent.postMessage({ id, svg: new XMLSerializer().serializeToString(holder.querySelector('svg')) }, '*')
  } catch (error) {
    parent.postMessage({ id, problem: String(error?.message ?? error).slice(0, 500) }, '*')
  }
})
