import { type Words } from '../en/index.js'

export const offline: Words['offline'] = {
  keptNote: (time) => `这是本设备在 ${time} 保存的内容，正在向服务查询`,
  cutOff: '无法连接服务。本设备保存的内容仍可阅读；消息会留在这里，连上后自动发送。',
  unsent: '尚未发送',
  waits: '等待连接',
  unsure: '可能已经送达，会先查清',
  onItsWay: '正在发送',
  sentLater: '等待中的消息已发送。',
  open: '打开',
  edit: '放回输入框',
  remove: '不发送',
  removed: '这条消息不会发送。',
  refused: (why) => `未发送：${why}`,
  gone: '消息已经发送了。',
  newVersion: '应用有新版本。',
  later: '稍后',
  reload: '重新加载'
}
