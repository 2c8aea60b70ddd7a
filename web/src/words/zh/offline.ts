import { type Words } from '../en/index.js'

export const offline: Words['offline'] = {
  keptNote: (time) => `这是本设备在 ${time} 保存的内容，正在向服务查询`,
  cutOff: '无法连接服务。本设备保存的内容仍可阅读；消息会留在这里，连上后自动发送。',
  offline: '你已离线。此设备上保存的内容仍可阅读；消息会留在这里，恢复连接后发送。',
  waiting: (count) => `有 ${count} 条消息等待发送。`,
  unsent: '尚未发送',
  waits: '等待连接',
  unsure: '可能已经送达，会先查清',
  onItsWay: '正在发送',
  sentLater: '等待中的消息已发送。',
  open: '打开',
  edit: '放回输入框',
  remove: '丢弃',
  removed: '消息已丢弃。',
  refused: (why) => `未发送：${why}`,
  earlier: '上次登录之前写的，不会自动发送',
  sendNow: '发送',
  gone: '消息已经发送了。',
  filesWait: (count) => `分享的 ${count} 个文件已保存在本设备，连上服务后会自动附上。`,
  sharedLeftOut: (names, isLarge) =>
    `未接收：${names.slice(0, 3).join('、')}${names.length > 3 ? ` 等 ${names.length} 个` : ''}。${isLarge ? '一次最多分享 512 MiB。' : '一条消息最多 20 个文件。'}`,
  sharedWaits: '有内容分享到了这个应用。',
  shareFailed: '分享的内容未能保存到本设备。请再分享一次，或减少一次分享的内容。',
  newVersion: '应用有新版本。',
  later: '稍后',
  reload: '重新加载'
}
