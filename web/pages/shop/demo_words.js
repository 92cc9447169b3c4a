// The demo's goods in Chinese. A shop's goods have the words of their operator, in whatever language; those of the demo
// come with the program, in English, and stay English once an operator has changed them.
import { language } from '../shared/texts.js';
import { settings } from '../shared/settings.js';

const goods =
  'A desk lamp with warm light, an online course in photography, and an afternoon at a spa: ' +
  'each at half its price or less, while units last.';
const goodsInChinese = '暖光台灯、摄影网课、水疗午后时光：全部半价或更低，售完即止。';

const words = {
  'Half-price flash sale': '半价秒杀',
  'Flash sale with a waiting room': '排队秒杀',
  [goods]: goodsInChinese,
  [`Everybody waits in one line. ${goods}`]: `所有人排同一条队。${goodsInChinese}`,
  'Desk lamp': '台灯',
  'Warm light in three levels, an arm that bends where you read, and a steady metal foot.':
    '三档暖光，灯臂随读书位置弯折，金属底座稳固。',
  Headphones: '头戴耳机',
  'Closed, light, and quiet around you: 30 hours of music from one charge.':
    '封闭式设计，轻巧隔音，充一次电可听 30 小时。',
  'Online course': '摄影网课',
  'Ten lessons in photography, from light to picture, to watch when you have time.':
    '十节摄影课，从光线到成片，随时观看。',
  'Spa voucher': '水疗券',
  'An afternoon at the spa: sauna, pool and half an hour of massage. Show the code at the desk.':
    '水疗午后时光：桑拿、泳池和半小时按摩，到店出示券码即可。',
  'Central warehouse': '中心仓',
  'East warehouse': '华东仓',
  'South warehouse': '华南仓',
};

/**
 * inWords returns an answer of the server with the demo's words in the reader's language.
 *
 * @param {any} answer
 */
export function inWords(answer) {
  if (!settings.dev_tokens || language !== 'zh') return answer;
  const inChinese = (_, value) => (typeof value === 'string' ? (words[value] ?? value) : value);
  return JSON.parse(JSON.stringify(answer), inChinese);
}
