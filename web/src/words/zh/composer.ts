import { type Words } from '../en/index.js'

export const composer: Words['composer'] = {
  box: '消息',
  placeholder: '提出请求，或描述要做的事',
  placeholderRunning: '给代理补充说明，或等待…',
  placeholderWaiting: '在上方回答，或补充说明',
  send: '发送',
  stop: '停止',
  stopping: '正在停止',
  addNote: '补充到正在进行的轮次',
  queue: '本轮结束后发送',
  attach: '添加附件',
  drop: '把文件拖到这里',
  remove: (name) => `移除 ${name}`,
  retryUpload: (name) => `重新上传 ${name}`,
  brokenOff: '上传中断：连接断开，或文件超过服务允许的大小。',
  textForFiles: (count) => count === 1 ? '请看附件。' : `请看这 ${count} 个附件。`,
  leftOut: (count) => `有 ${count} 个文件未加入：一条消息最多 20 个。`,
  filesFailed: '有文件上传失败。请移除或重试，然后再发送。',
  queued: '本轮结束后发送',
  unqueue: '放回输入框',
  leftover: '这段话没有送达代理，已放回输入框。',
  alreadyRunning: '这里已有一轮在进行。你的文字还在输入框里：发送即可补充到那一轮。',
  endingAlready: '这一轮本来就要结束了。',
  steerRefused: {
    no_cached_agent: '这一轮还在启动，请稍后再试。',
    agent_lacks_steer: '这个代理工作时不接受补充。请等这一轮结束，或停止它。',
    not_running: '这一轮刚结束，请作为单独的消息发送。',
    stream_dead: '这一轮正在结束，请稍后作为单独的消息发送。',
    steer_error: '无法告知代理，请重试。'
  },
  enterHint: '回车发送，Shift+回车换行',
  context: (percent) => `${percent}%`,
  cost: (dollars) => dollars < 0.01 ? '< $0.01' : `$${dollars.toFixed(2)}`,
  usage: (tokens) => `已用 ${tokens.toLocaleString('zh-CN')} 个 token`
}
