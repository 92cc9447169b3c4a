import{$ as tn,Aa as g,Ba as Qe,Ca as U,Da as B,Ea as Ye,F as Qt,Fa as G,Ga as z,H as b,Ha as ln,I as N,Ia as Pt,J,Ja as un,K as Yt,Ka as ee,L as Ot,La as H,Ma as Z,N as Fe,Na as Se,O as Be,Oa as te,P as D,Pa as Ze,Q as O,Qa as pn,R as Ge,Ra as ao,S as Zt,Sa as mn,T as Xt,Ta as $n,U as ze,Ua as fn,W as en,Wa as co,X as St,Xa as Xe,Y as K,Ya as _n,Z as q,Za as et,_ as He,_a as hn,a as Ne,ab as lo,ba as E,c as k,ca as Ke,d as P,da as R,e as j,ea as A,eb as yn,f as ke,g as i,ga as nn,gb as bn,h as Re,hb as uo,ia as $e,ib as qt,j as Kt,ja as fe,jb as gn,k as Ue,ka as Je,kb as tt,la as _e,lb as nt,m as Me,ma as rn,n as Jt,na as Tt,nb as kn,o as t,oa as on,p as ve,pa as Oe,qa as sn,r as L,ra as an,rb as ne,s as h,sb as vn,t as we,ta as dn,tb as he,u as xe,ua as F,ub as wn,va as ie,vb as rt,w as Ie,wa as W,wb as xn,x as Wt,xa as We,xb as po,y as Vt,ya as cn,za as Ve}from"./chunk-7VYXXCH4.js";var On={preview_help:"So buyers will see the sale. Nothing is saved.",preview_untitled:"No title yet",preview_starts:"Starts {time}",preview_limit:"At most {limit} for each buyer",preview_segments:"For certain buyers only",preview_pay:"{minutes} min to pay",preview_units:"Units: {units}",refund_order:"Refund",refund_an_order:"Refund an order: choose it, or type its number",refund_none_yet:"Nothing goes back yet.",refund_all:"All that is left",refund_line:"Refund units",refund_line_title:"Refund units of {title}",refund_nothing:"Choose what is refunded.",refund_force:"Refund also vouchers that were redeemed, or that are not chosen",refund_restock:"Also put all units of the order back into stock",refund_restock_last:"Units go back into stock once all money of the order is refunded: refund all that is left.",refund_voucher:"Voucher {code}",refund_units:"{title}, of {quantity} that are left",codes_file:"Or from a file",codes_counted:"Codes: {codes}.",codes_nothing:"Nothing was done: each line must have a code.",codes_most:"At most {most} codes at once; onrush vouchers takes more.",report:"Report",report_of:"Report: {sale}",report_live:"Live figures",report_made:"Sums of all stored orders, made on {time}. Amounts include freight.",report_unsettled:"These figures may still change. Orders that wait to be stored: {placed}, to be paid: {unpaid}.",report_queue_unknown:"These figures may still change. How many orders wait to be stored is not known right now.",report_paid:"Paid",report_whole:"{orders} orders completely",report_net:"Net",report_net_note:"paid less refunded",report_failed_note:"orders that could not be stored",report_peak:"Most orders in a second",report_peak_kept:"no order yet",report_peak_deleted:"no longer known",report_peak_unavailable:"not known right now",report_unpaid_units:"Units unpaid",report_cancelled_units:"Units cancelled",report_offered:"Units offered",report_none:"No order was placed.",report_skus:"By SKU",report_points:"By stock point",report_every_60:"By minute",report_every_3600:"By hour",report_every_86400:"By day",report_placed:"Placed from",report_others:"Others",report_without:"None named",report_traffic:"Refusals",report_requests:"Requests for a path: {paths}. Submits: {submits}.",report_early:"In the waiting room before the start: {n}.",report_refused_none:"Nobody was refused.",report_traffic_deleted:"Refusals and the peak are kept for 30 days. Those of this sale are no longer known.",report_traffic_unavailable:"Refusals and the peak can't be read right now.",description_help:"Plain text or Markdown: **bold**, *italic*, lists, # headings, `code`, [links](https://…).",print:"Print"};var Sn={preview_help:"买家将看到的样子。不会保存任何内容。",preview_untitled:"尚无标题",preview_starts:"{time} 开始",preview_limit:"每人限购 {limit} 件",preview_segments:"仅限部分买家",preview_pay:"{minutes} 分钟内付款",preview_units:"{units} 件",refund_order:"退款",refund_help:"最多为剩余的 {amount}。留空：按所选件数的价格。填 0：不退钱，只作废所选内容。已售件数不变。",refund_an_order:"退款：选择订单，或输入订单号",refund_none_yet:"尚未选择退款内容。",refund_all:"剩余全部金额",refund_line:"退部分件",refund_line_title:"退 {title}",refund_nothing:"请选择退款内容。",refund_force:"同时退已核销或未选中的券",refund_restock:"同时将订单的全部商品退回库存",refund_restock_last:"订单款项全部退还后，商品才能退回库存：请退还剩余的全部金额。",refund_voucher:"券 {code}",refund_units:"{title}，剩余 {quantity} 件",codes_file:"或从文件读取",codes_counted:"券码：{codes} 个。",codes_nothing:"未做任何更改：每行都必须是一个券码。",codes_most:"一次最多 {most} 个券码；更多请用 onrush vouchers。",report:"报告",report_of:"报告：{sale}",report_live:"实时数据",report_made:"按所有已入库订单汇总，生成于 {time}。金额含运费。",report_unsettled:"数据仍可能变动：等待入库 {placed} 单，等待付款 {unpaid} 单。",report_queue_unknown:"数据仍可能变动：暂时无法得知还有多少订单等待入库。",report_paid:"已付金额",report_whole:"{orders} 单全额退款",report_net:"净额",report_net_note:"已付减去退款",report_failed_note:"无法入库的订单",report_peak:"每秒最高订单数",report_peak_kept:"尚无订单",report_peak_deleted:"数据已过期",report_peak_unavailable:"暂时无法读取",report_unpaid_units:"未付款件数",report_cancelled_units:"已取消件数",report_offered:"投放件数",report_none:"没有订单。",report_skus:"按商品",report_points:"按库存点",report_every_60:"按分钟",report_every_3600:"按小时",report_every_86400:"按天",report_placed:"下单时段",report_others:"其他",report_without:"未标明",report_traffic:"拒绝原因",report_requests:"路径请求 {paths} 次，提交 {submits} 次。",report_early:"开始前进入等候室 {n} 人。",report_refused_none:"没有请求被拒绝。",report_traffic_deleted:"拒绝次数和峰值保留 30 天，本活动的数据已不可查。",report_traffic_unavailable:"暂时无法读取拒绝次数和峰值。",description_help:"纯文本或 Markdown：**粗体**、*斜体*、列表、# 标题、`代码`、[链接](https://…)。",print:"打印"};function mo(){let[e,n]=k({kind:""}),r=B("/blocked",e),o=(m,$)=>`/blocked/${encodeURIComponent(`${$}:${m}`)}`,s=[["user",t("block_user")],["address",t("block_address")]],a=[{name:"kind",label:t("kind"),options:s},{name:"subject",label:t("subject"),help:t("subject_help"),required:!0,maxlength:64},{name:"reason",label:t("reason"),required:!0,maxlength:200},{name:"until",label:t("until"),help:t("until_help"),type:"datetime-local"}],d=(m,$)=>r.items.find(f=>f.kind===m&&f.subject===$)?.version,c=(m,$,f,_)=>b("PUT",o($,m),{body:f,version:_,create:!_}),l=(m,$,f)=>b("DELETE",o($,m),{version:f}),p=({kind:m,subject:$,reason:f,until:_},v,x=d(m,$))=>c(m,$,{reason:f,..._&&{until:new Date(_).toISOString()}},x),u=(m,{kind:$,subject:f})=>!d($,f)&&(()=>l($,m.subject,m.version)),y=[[t("subject"),m=>i`<code>${m.subject}</code>`,"lead"],[t("kind"),m=>t(`block_${m.kind}`),"end"],[t("reason"),m=>m.reason,"wide"],[R(t("until")),m=>m.until?i`<${A} at=${m.until} />`:t("no_end"),"named"],[R(t("since")),m=>i`<${A} at=${m.updated_at} />`,"named"],["",m=>i`<${g} route="DELETE /blocked/{subject}"
        label=${t("unblock")} title=${t("unblock_title",{subject:m.subject})}
      run=${($,f,_=m.version)=>l(m.kind,m.subject,_)}
      done=${t("done_unblocked",{subject:m.subject})}
      undo=${()=>()=>c(m.kind,m.subject,{reason:m.reason,...m.until&&{until:m.until}})}
      then=${r.reload} />`,"tools"]];return i`<div class="row heading"><h1>${t("menu_blocked")}</h1>
      <${g} route="PUT /blocked/{subject}"
        label=${t("block")} kind="go" id="block" title=${t("block_title")} help=${t("block_help")}
        fields=${a} run=${p} done=${m=>t("done_blocked",{subject:m.subject})}
        undo=${u} then=${r.reload} /></div>
    <${ee} fields=${[{name:"kind",label:t("kind"),options:[["",t("all")],...s]}]}
      values=${e} change=${n} />
    <${z} list=${r} name=${t("menu_blocked")} columns=${y} empty=${t("blocked_none")}
      keyOf=${m=>`${m.kind}:${m.subject}`} />`}var $o=4,fo={activity:["created","changed","published","paused","resumed","taken_offline","stock_changed","stock_change_refused","stock_change_abandoned","reloaded","repaired","deleted"],sku:["created","changed","stock_changed","deleted"],point:["created","changed","deleted"],order:["refunded","noted","held","paid_outside"],payment:["flag_cleared"],refund:["retried","reported"],voucher:["redeemed"],dead:["replayed","discarded"],blocked:["created","changed","deleted"],endpoint:["registered","changed","secret_changed","resent","deleted"],job:["run","paused","resumed"],key:["created","revoked"]},Tn={activity:e=>`#/edit/${e}`,sku:e=>`#/goods?${new URLSearchParams({sku_id:e})}`,point:e=>`#/points?${new URLSearchParams({point_id:e})}`,order:e=>`#/order/${e}`,payment:e=>`#/payment/${e}`,refund:e=>`#/money/refunds?${new URLSearchParams({refund_number:e})}`,voucher:e=>`#/voucher/${e}`,dead:()=>"#/queue",blocked:()=>"#/blocked",endpoint:e=>`#/deliveries/${e}`,job:()=>"#/jobs",key:()=>"#/keys"};function _o(e,n){return[e,...n.filter(s=>s.on===e.on)].flatMap(({before:s,after:a})=>[a,s]).map(s=>s?.title??s?.name).find(s=>typeof s=="string")}function ho({change:e,all:n}){let[r,...o]=e.on.split(":"),s=o.join(":"),a=r==="job"?bn(s):_o(e,n),d=e.action.endsWith(".deleted")||!Tn[r],c=i`<b>${a??s}</b>`;return i`<span class="muted">${W("hit",r)}</span>${" "}
    ${d?c:i`<a href=${Tn[r](s)}>${c}</a>`}
    ${a&&i`<p class="muted"><code>${s}</code></p>`}`}function yo({query:e}){let[n,r]=ln("changes",e,{actor:"",on:"",action:""}),o=B("/changes",Pt(n)),s=Object.entries(fo).flatMap(([p,u])=>u.map(y=>`${p}.${y}`)),a=n.action&&!s.includes(n.action)?[n.action]:[],d=[["",t("all")],...[...a,...s].map(p=>[p,Tt(p)])],c=[{name:"actor",label:t("operator"),maxlength:64},{name:"action",label:t("action"),options:d},{name:"on",label:t("changed_item"),placeholder:"sku:lamp",maxlength:120},{name:"from",label:t("from_day"),type:"date"},{name:"to",label:t("to_day"),type:"date"}],l=[[R(t("at")),p=>i`<${A} at=${p.at} />`,"end"],[t("operator"),p=>i`<span title=${p.client_ip}>${p.actor}</span>`],[t("action"),p=>i`<b title=${p.action}>${Tt(p.action)}</b>`,"lead"],[t("changed_item"),p=>i`<${ho} change=${p} all=${o.items} />`,"wide"],[t("difference"),p=>i`<${bo} fields=${on(p)} />`,"wide"]];return i`<h1>${t("menu_changes")}</h1><p class="muted">${t("changes_help")}</p>
    <${ee} fields=${c} values=${n} change=${r} />
    <${z} list=${o} name=${t("menu_changes")} columns=${l} empty=${un("changes",Pt(n))}
      keyOf=${p=>p.change_id} />`}function bo({fields:e}){if(e.length===0)return"–";if(e.length<=$o)return i`<${Oe} fields=${e} />`;let n=t("fields_changed",{count:h(e.length)});return i`<details><summary>${n}</summary><${Oe} fields=${e} /></details>`}function go({id:e}){let[n,r]=k({status:""}),o=B(`${et(e)}/deliveries`,n),[s,a]=k(""),[d,c]=k(),l=[[t("event"),$=>i`<b>${hn($.type)}</b><p class="muted"><code>${$.type}</code> ${$.event_id}</p>`,"lead"],[t("state"),$=>i`<${F} state=${$.status} />
      ${$.next_attempt_at&&i`<p class="muted">${t("next_try")} ${E($.next_attempt_at)}</p>`}`,"end"],[t("attempts"),$=>h($.attempts),"number named"],[t("answer"),$=>i`${$.status_code??""} <span class="bad">${$.error}</span>
      <p class="muted">${$.answer}</p>`,"wide"],[t("duration"),$=>`${h($.duration_ms)} ms`,"number"],[R(t("at")),$=>i`<${A} at=${$.at} />`],["",$=>i`<div class="row actions">
      <button type="button" class="quiet" id="show-${$.delivery_id}" onClick=${()=>a($.delivery_id)}>
        ${t("payload")}</button>
      <${g} label=${t("send_again")} then=${o.reload}
      run=${(f,_)=>b("POST",`/deliveries/${$.delivery_id}/resend`,{key:_})} /></div>`,"tools"]],p=$=>$?new Date($).toISOString():void 0,u=[{name:"from",label:t("from_time"),type:"datetime-local",required:!0},{name:"to",label:t("to_time"),type:"datetime-local"}],y=({from:$,to:f},_)=>b("POST",`${et(e)}/resend`,{key:_,body:{from:p($),to:p(f)}}),m=["","waiting","delivered","failed"].map($=>[$,t($?`state_${$}`:"all")]);return i`<div class="row heading"><h1>${t("deliveries_title",{name:e})}</h1>
      <${g} label=${t("test_event_send")} id="test" run=${($,f)=>b("POST",`${et(e)}/test`,{key:f})}
        then=${c} />
      <${g} label=${t("send_span")} title=${t("send_span")} help=${t("send_span_help")} fields=${u}
        run=${y} then=${o.reload} />
      <a href="#/endpoints">${t("menu_endpoints")}</a></div>
    <${ee} values=${n} change=${r}
      fields=${[{name:"status",label:t("state"),options:m}]} />
    <${z} list=${o} name=${t("deliveries")} columns=${l} empty=${t("deliveries_none")}
      keyOf=${$=>$.delivery_id} />
    ${s&&i`<${vo} id=${s} close=${()=>a("")} />`}
    ${d&&i`<${wo} result=${d} close=${()=>c()} />`}`}var ko=e=>{try{return JSON.stringify(JSON.parse(e),null,2)}catch{return e}};function vo({id:e,close:n}){let{value:r,error:o,reload:s}=N(()=>b("GET",`/deliveries/${e}`));return i`<${K} title=${t("payload")} close=${n}><${O} error=${o} retry=${s} />
    ${!r&&!o&&i`<${D} />`}
    ${r&&!r.event&&i`<p class="muted">${t("payload_gone")}</p>`}
    ${r?.event&&i`<pre class="file" tabindex="0">${JSON.stringify(r.event,null,2)}</pre>`}
    ${r&&i`<${Pn} of=${r} />`}
    <button type="button" class="go" onClick=${n}>${t("close")}</button><//>`}function wo({result:e,close:n}){return i`<${K} title=${t("test_event")} close=${n}>
    <p class=${ie(e.accepted)} id="tested">${t(e.accepted?"test_accepted":"test_refused")}</p>
    <pre class="file" tabindex="0">${ko(e.body)}</pre><${Pn} of=${e} />
    <button type="button" class="go" onClick=${n}>${t("close")}</button><//>`}function Pn({of:{status_code:e,answer:n,error:r,duration_ms:o}}){return!e&&!r?null:i`<h3>${t("answer")}</h3><p>${e} <span class="bad">${r}</span>
      <span class="muted">${h(o)} ms</span></p>
    ${n&&i`<pre class="file" tabindex="0">${n}</pre>`}`}var xo=["add","take","set"],ot=()=>[{name:"how",label:t("stock_how"),options:xo.map(e=>[e,t(`stock_${e}`)]),initial:"add"},{name:"units",label:t("units"),type:"number",step:1,min:0,required:!0,initial:0,steps:!0}],ye=({how:e,units:n})=>(e==="take"?-1:1)*Number(n||0),st=(e,n)=>n.how==="set"?Number(n.units||0):Math.max(0,e+ye(n));var re=e=>`/activities/${e.activity_id}`,it=e=>["running","upcoming"].includes(ne(e));function oe(e){if(!e)return"";let n=new Date(e);return new Date(n.getTime()-n.getTimezoneOffset()*6e4).toISOString().slice(0,19)}function at(e,n){if(!e)return;let r=new Date(e).toISOString();return n&&r===new Date(oe(n)).toISOString()?n:r}var Oo=e=>E(e&&new Date(e)),qn=e=>n=>oe(new Date(new Date(n).getTime()+e*6e4).toISOString());function En({sale:e,then:n}){if(!it(e))return null;let r=(s,a)=>b("PATCH",re(e),{version:a,body:{ends_at:s}}),o={name:"ends_at",label:t("ends_at"),type:"datetime-local",required:!0,initial:oe(e.ends_at),presets:[[t("later_minutes",{n:15}),qn(15)],[t("later_hours",{n:1}),qn(60)]]};return i`<${g} route="PATCH /activities/{activity_id}" label=${t("extend")} title=${t("extend")} id="extend"
    fields=${[o]} preview=${({ends_at:s})=>`${E(e.ends_at)} → ${Oo(s)}`}
    run=${({ends_at:s},a,d=e.version)=>r(at(s,e.ends_at),d)} then=${n}
    done=${s=>t("done_extended",{sale:e.title,time:E(s.ends_at)})}
    undo=${s=>()=>r(e.ends_at,s.version)} />`}function Cn({sale:e,then:n}){let r=j(e),[o,s]=k([]);if(!it(e))return null;let a=_=>o.find(v=>v.point_id===_)?.name??_,d=[...new Set(e.skus.flatMap(_=>_.stock.map(v=>v.point_id)))],c=[{name:"sku_id",label:t("sku"),options:e.skus.map(_=>[_.sku_id,_.sku_id]),initial:e.skus[0].sku_id},{name:"point_id",label:t("point"),options:d.map(_=>[_,a(_)]),initial:d[0]},...ot()],l=({sku_id:_,point_id:v})=>r.current.skus.find(x=>x.sku_id===_)?.stock.find(x=>x.point_id===v)?.quantity??0,p=(_,v)=>t(v,{sku:_.sku_id,before:h(l(_)),after:h(st(l(_),_)),point:a(_.point_id)}),u=(_,v,x)=>b("POST",`${re(e)}/stock`,{key:x,body:{sku_id:_.sku_id,point_id:_.point_id,delta:v}}),y=(_,v,x)=>b("PUT",`${re(e)}/stock`,{version:x,body:{sku_id:_.sku_id,point_id:_.point_id,quantity:v}}),m=(_,v,x=r.current.version)=>_.how==="set"?y(_,Number(_.units),x):u(_,ye(_),v),$=({status:_,delta:v},x)=>_!=="pending"&&v!==0&&(S=>u(x,-v,S)),f=()=>{r.current=e,q("GET /points")&&G("/points").then(s,()=>{})};return i`<${g} route="POST /activities/{activity_id}/stock" label=${t("change_stock")}
    title=${t("change_stock")} help=${t("set_total_help")} id="stock" onOpen=${f} fields=${c} run=${m}
    then=${n} preview=${_=>p(_,"stock_preview")} done=${(_,v)=>p(v,"done_stock")}
    undo=${$} />`}function dt({sale:e,kind:n}){return i`<${g} route="POST /activities/{activity_id}/clone"
    label=${t("clone")} kind=${n} run=${(r,o)=>b("POST",`${re(e)}/clone`,{key:o,body:{}})}
    then=${r=>Fe(`#/edit/${r.activity_id}`)} />`}function Ln({sale:e,then:n,opens:r}){if(!it(e))return null;let o=(a,d)=>b("POST",`${re(e)}/pause`,{key:d}),s=(a,d)=>b("POST",`${re(e)}/resume`,{key:d});return e.paused_at?i`<${g} route="POST /activities/{activity_id}/resume" label=${t("resume_sale")} kind="go" id="resume"
      run=${s} done=${t("done_resumed",{sale:e.title})} undo=${()=>a=>o({},a)}
      then=${n} />`:i`<${g} route="POST /activities/{activity_id}/pause"
    label=${t("pause_sale")} title=${t("pause_sale")} help=${t("pause_sale_help")} id="pause" opens=${r}
    run=${o} done=${t("done_paused",{sale:e.title})} undo=${()=>a=>s({},a)}
    then=${n} />`}function ct({sale:e,then:n}){let[r,o]=k();if(!it(e))return null;let s=()=>{o(),b("GET",`${re(e)}/stats`).then(o,()=>o({}))};return i`<${g} route="POST /activities/{activity_id}/offline" label=${t("close_sale")}
    title=${t("close_title",{sale:e.title})} help=${So(r)} kind="danger" onOpen=${s}
    id="close" done=${t("done_closed",{sale:e.title})}
    run=${(a,d)=>b("POST",`${re(e)}/offline`,{key:d})} then=${n} />`}function So(e){return e?.loaded?`${t("close_sale_help")} ${t("close_sale_affects",{left:h(fe(e)),unpaid:h(e.placed+e.unpaid),waiting:h(e.waiting_room?.waiting??0)})}`:t("close_sale_help")}var An=["item","user","ip"],Nn=["title","description","image_url"],jn=e=>JSON.stringify(e,(n,r)=>typeof r=="number"?String(r):r),Te=(e,n)=>jn(e)===jn(n),lt=e=>e===void 0||e<0?"":e,ut=e=>e===""||e===void 0?-1:Number(e),Pe=(e,n)=>n.find(r=>r.sku_id===e)?.currency??"CNY",Et=(e,n)=>e.currency??Pe(e.sku_id,n);function Rn(e,n){let r=n.find(o=>o.sku_id===e);return Z(r?.price,Pe(e,n))}var ae=(e,n)=>(n.find(r=>r.sku_id===e)?.kind??"physical")==="physical";function qe(e,n,r){if(r==="")return{...e,stock:e.stock.filter(a=>a.point_id!==n)};let o=e.stock.some(a=>a.point_id===n),s={point_id:n,quantity:r};return{...e,stock:o?e.stock.map(a=>a.point_id===n?s:a):[...e.stock,s]}}function pt(e,n){let r=new Set([...e.skus.flatMap(s=>s.stock.map(a=>a.point_id)),...e.points??[]]);r.size===0&&r.add("0");let o=n.map(s=>s.point_id).filter(s=>r.has(s));return[...o,...[...r].filter(s=>!o.includes(s))]}function Ct(e,n){let o=Math.ceil(Date.now()/36e5)*36e5,[s]=e;return{title:"",description:"",image_url:"",shop_id:s?.shop_id??He()??"",starts_at:oe(o),ends_at:oe(o+36e5),pay_within:15,purchase_limit:"",permit_ratio:"",human_check:"none",paths_per_second:"",segments:"",limit_item:"",limit_user:"",limit_ip:"",points:[],skus:s?[Ee(s,n)]:[]}}function Ee(e,n){let r=n.find(s=>s.point_id==="0")??n[0],o=e.kind==="physical"?r:void 0;return{sku_id:e.sku_id,flash_price:Z(e.price,e.currency),currency:e.currency,purchase_limit:"",stock:[{point_id:o?.point_id??"0",quantity:100}]}}function se(e,n){let r={...Object.fromEntries(Nn.map(o=>[o,e[o]??""])),shop_id:e.shop_id,starts_at:oe(e.starts_at),ends_at:oe(e.ends_at),pay_within:e.pay_within_s/60,purchase_limit:lt(e.purchase_limit),permit_ratio:lt(e.permit_ratio),human_check:e.human_check,paths_per_second:lt(e.waiting_room?.paths_per_second),segments:(e.segments??[]).join(" "),points:[],skus:e.skus.map(o=>({sku_id:o.sku_id,flash_price:Z(o.flash_price,Et(o,n)),currency:o.currency,purchase_limit:lt(o.purchase_limit),stock:o.stock.map(s=>({...s}))}))};for(let o of An){let s=e.limits?.[o];r[`limit_${o}`]=s&&s.requests>=0?`${s.requests}/${s.seconds}`:""}return r}function To(e){return Object.fromEntries(An.map(n=>{let[r,o]=e[`limit_${n}`].split("/").map(Number);return[n,o?{requests:r,seconds:o}:{requests:-1}]}))}var Po=e=>e.split(/[\s,，、]+/).filter(Boolean),qo=(e,n)=>({...Object.fromEntries(Nn.map(r=>[r,e[r]])),ends_at:at(e.ends_at,n?.ends_at),purchase_limit:ut(e.purchase_limit),permit_ratio:ut(e.permit_ratio),human_check:e.human_check,limits:To(e),waiting_room:{paths_per_second:ut(e.paths_per_second)},segments:e.segments===void 0?n?.segments??[]:Po(e.segments)});function Eo(e,n,r){try{return{sku_id:e.sku_id,flash_price:H(e.flash_price,Et(e,n)),purchase_limit:ut(e.purchase_limit)}}catch(o){throw Object.assign(o,{fields:{[`price-${r}`]:o.message}})}}function Ce(e,n,r){return{...qo(e,r),...r?.images&&{images:r.images},shop_id:e.shop_id,starts_at:at(e.starts_at,r?.starts_at),pay_within_s:Math.round(Number(e.pay_within)*60),skus:e.skus.map((o,s)=>({...Eo(o,n,s),currency:Et(o,n),stock:o.stock.map(a=>({point_id:a.point_id,quantity:Number(a.quantity)}))}))}}var Dn={skus:"sku_id",stock:"point_id"};function Le(e,n,r){return Object.fromEntries(Object.entries({...r,...n,...r}).map(([o,s])=>Dn[o]?[o,Co(Dn[o],e[o]??[],n[o],s)]:[o,Te(n[o],e[o])?s:n[o]]))}function Co(e,n,r,o){let s=(d,c)=>d.find(l=>l[e]===c[e]);return[...o.filter(d=>s(r,d)||!s(n,d)).map(d=>s(r,d)?Le(s(n,d)??{},s(r,d),d):d),...r.filter(d=>!s(o,d)&&!Te(d,s(n,d)))]}var Lo={pay_within_s:"pay_within","waiting_room.paths_per_second":"paths_per_second",waiting_room:"paths_per_second"},Un={sku_id:"sku",flash_price:"price",purchase_limit:"limit"},jo={price:"flash_price",limit:"sku_limit",units:"units",sku:"sku"};function Do(e,n,r,o){let s=/^limits\.(item|user|ip)/.exec(e);if(s)return`limit_${s[1]}`;if(e.startsWith("segments["))return"segments";let[,a,d]=/^skus\[(\d+)\]\.?(.*)$/.exec(e)??[];if(a===void 0)return Lo[e]??(e in r?e:void 0);let c=n.skus?.[Number(a)],l=r.skus.findIndex(y=>y.sku_id===c?.sku_id);if(l<0)return;if(Un[d])return`${Un[d]}-${l}`;let[,p]=/^stock\[(\d+)\]/.exec(d)??[],u=p===void 0?0:o.indexOf(c.stock[Number(p)].point_id);return`units-${l}-${Math.max(0,u)}`}function Mn(e,n,r,o){let s={fields:{},rest:[]};for(let{field:a,detail:d}of e?.problem?.errors??[]){let c=Do(a,n??{},r,o);c&&!s.fields[c]?s.fields[c]=dn(d):c||s.rest.push({field:a,detail:d})}for(let[a,d]of Object.entries(e?.fields??{}))s.fields[a]=d;return s}function Ao(e,n){let[,r,o]=/^(sku|price|limit|units)-(\d+)/.exec(e)??[];return r?`${n.skus[Number(o)]?.sku_id}: ${t(jo[r])}`:t(e)}function In({error:e,wrong:n,form:r,mine:o,theirs:s,apart:a}){let d=Object.keys(n.fields);if(d.length===0)return i`<${an} ...${{error:e,mine:o,theirs:s,apart:a}} />`;let c=l=>()=>document.querySelector(`.edit [name="${l}"]`)?.focus();return i`<div class="problem" role="alert" id="wrong"><p>${t("edit_wrong")}</p>
    <div class="row">${d.map(l=>i`<button type="button" class="quiet" onClick=${c(l)}>${Ao(l,r)}</button>`)}</div>
    ${n.rest.map(l=>i`<p class="muted"><code>${l.field}</code> ${l.detail}</p>`)}</div>`}var Fn=e=>JSON.stringify(e);function Lt(e,n=""){return Object.entries(e).filter(([,r])=>r!==void 0).flatMap(([r,o])=>Array.isArray(o)?o.length===0?[`${n}${r}: []`]:[`${n}${r}:`,...o.flatMap(s=>No(s,n))]:typeof o=="object"?[`${n}${r}:`,...Lt(o,`${n}  `)]:[`${n}${r}: ${Fn(o)}`])}function No(e,n){if(typeof e!="object")return[`${n}  - ${Fn(e)}`];let[r,...o]=Lt(e,`${n}    `);return[`${n}  - ${r.trim()}`,...o]}function Ro(e,n,r,o){let s=o?.state==="offline"?void 0:o?.state??"draft";return`${Lt({activity_id:e,state:s,...Ce(n,r,o)}).join(`
`)}
`}function Bn({id:e,form:n,skus:r,sale:o}){let[s,a]=k({}),d=()=>{try{a({text:Ro(e,n,r,o)})}catch(p){a({error:p})}},c=()=>a({}),l=async()=>a({...s,copied:await Xe(s.text)});return i`<button type="button" class="quiet" id="file" onClick=${d}>${t("sale_file")}</button>
    ${(s.text||s.error)&&i`<${K} title=${t("sale_file")} close=${c}>
      <p class="muted">${t("sale_file_help")} <code>onrush activities apply -f ${e}.yaml</code></p>
      <${O} error=${s.error} />
      ${s.text&&i`<pre class="file" tabindex="0">${s.text}</pre>`}
      <p role="status" id="file-copy">${s.copied===!1&&t("copy_failed")}</p>
      <div class="row">
        ${s.text&&i`<button type="button" class="go" onClick=${l}>${t(s.copied?"copied":"copy")}</button>
          <a class="button" download="${e}.yaml"
            href=${`data:text/yaml;charset=utf-8,${encodeURIComponent(s.text)}`}>${t("download_file")}</a>`}
        <button type="button" class="quiet" onClick=${c}>${t("close")}</button></div><//>`}`}var jt=e=>Ue(`onrush.sale.${e??Se("","new")}`);function Gn(e){try{return JSON.parse(localStorage.getItem(jt(e)))??void 0}catch{return}}function zn(e,n){try{return localStorage.setItem(jt(e),JSON.stringify(n)),!0}catch{return!1}}var je=e=>localStorage.removeItem(jt(e));function Hn(e){let[n,r]=k(""),o=j(!1);return P(()=>{if(!e)return;let a=l=>l.preventDefault(),d=l=>{let p=l.target.closest?.('a[href^="#/"]');!p||l.ctrlKey||l.metaKey||l.shiftKey||(l.preventDefault(),r(p.hash))},c=l=>{o.current||(l.preventDefault(),r(l.detail))};return addEventListener("beforeunload",a),document.addEventListener("click",d,!0),addEventListener(Ot,c),()=>{removeEventListener("beforeunload",a),document.removeEventListener("click",d,!0),removeEventListener(Ot,c)}},[e]),{target:n,stay:()=>r(""),go:a=>{o.current=!0,location.hash=a}}}function Kn({target:e,stay:n,go:r,discard:o}){return e?i`<${K} title=${t("leave_title")} close=${n}>
    <p class="muted">${t("leave_help")}</p>
    <div class="row">
      <button type="button" class="go" id="stay" onClick=${n}>${t("leave_stay")}</button>
      <button type="button" class="quiet" id="leave" onClick=${()=>r(e)}>${t("leave_keep")}</button>
      <button type="button" class="danger" id="leave-discard" onClick=${()=>{o(),r(e)}}>${t("leave_discard")}</button></div><//>`:null}function Jn({plan:e,apply:n,close:r}){return i`<${K} title=${t("edit_plan")} close=${r}>
    <${Oe} fields=${e.differences} />
    <div class="row"><button type="button" class="go" id="apply" onClick=${n}>${t("save")}</button>
      <button type="button" class="quiet" onClick=${r}>${t("cancel")}</button></div><//>`}var Dt=e=>/[*_`~#\\[<]|^[ \t]*([-+]|\d+[.)])[ \t]/m.test(e);function mt({text:e,kind:n=""}){let[{draw:r},o]=k({draw:void 0}),s=Dt(e);P(()=>{s&&!r&&import("./markdown-FRTYSIY7.js").then(o,()=>{})},[s]);let a=s&&r?.(e,i);return a?i`<div class="description formatted ${n}">${a}</div>`:i`<p class="description ${n}">${e}</p>`}function Wn({form:e,skus:n}){let[r,o]=k(!1);return i`<button type="button" class="quiet" id="preview" onClick=${()=>o(!0)}>${t("preview")}</button>
    ${r&&i`<${K} title=${t("preview")} close=${()=>o(!1)}>
      <p class="muted">${t("preview_help")}</p>
      <article class="card preview">
        <${Ge} url=${e.image_url} title=${e.title||"?"} tone=${ze(e.title)} />
        <p><span class="badge upcoming">${t("preview_starts",{time:E(e.starts_at)})}</span></p>
        <h3>${e.title||t("preview_untitled")}</h3>
        ${e.description&&i`<${mt} text=${e.description} />`}
        <p class="tags">
          ${Number(e.purchase_limit)>0&&i`<span>${t("preview_limit",{limit:e.purchase_limit})}</span>`}
          ${Number(e.paths_per_second)>0&&i`<span>${t("room")}</span>`}
          ${e.human_check!=="none"&&i`<span>${t("human_check")}</span>`}
          ${e.segments&&i`<span>${t("preview_segments")}</span>`}
          <span>${t("preview_pay",{minutes:e.pay_within})}</span></p>
        <ul class="list">${e.skus.map(s=>i`<li><${Uo} sku=${s} skus=${n} /></li>`)}
        </ul></article>
      <button type="button" class="go" onClick=${()=>o(!1)}>${t("close")}</button><//>`}`}function Uo({sku:e,skus:n}){let r=n.find(s=>s.sku_id===e.sku_id),o=e.stock.reduce((s,a)=>s+(Number(a.quantity)||0),0);return i`<div class="sku"><span class="name">${r?.title??e.sku_id}</span>
    <${Mo} sku=${e} goods=${r} />
    <span class="muted">${t("preview_units",{units:o})}
      ${Number(e.purchase_limit)>0&&i` · ${t("preview_limit",{limit:e.purchase_limit})}`}</span></div>`}function Mo({sku:e,goods:n}){let r;try{r=H(e.flash_price,e.currency??n?.currency)}catch{r=void 0}if(!n||r===void 0)return i`<span class="price">–</span>`;let o=e.currency??n.currency,s=o===n.currency&&r<n.price;return i`<span class="price">${L(r,o)}
    ${s&&i`<s>${L(n.price,n.currency)}</s>`}</span>`}var Vn=e=>e.replace(/\r?\n$/,"").split(/\r?\n/).map(n=>n.split("	").map(r=>r.trim()));function Io(e){if(e==="")return"";let n=e.replace(/^[^\d.,-]+|[^\d.,]+$/g,"").replace(/\s/g,"");return/^\d{1,3}(,\d{3})+(\.\d+)?$/.test(n)&&(n=n.replaceAll(",","")),n=n.replace(/^(\d+),(\d+)$/,"$1.$2"),/^\d+(\.\d+)?$/.test(n)?n:void 0}var de=Se("","price"),ce=Se("","limit"),De=(e,n)=>e.toLowerCase()===n.toLowerCase(),Qn=(e,n,r,o)=>e.find(s=>s[n]===o)??e.find(s=>De(s[n],o)||De(s[r],o)),At=(e="",n)=>Qn(n,"sku_id","title",e);function Fo(e,n){return["flash_price","price",t("flash_price")].some(r=>De(r,e))?de:["purchase_limit","limit",t("sku_limit")].some(r=>De(r,e))?ce:De(t("units"),e)?"0":Qn(n,"point_id","name",e)?.point_id}function Bo(e,n,r,{skus:o,points:s}){let a=At(e[0][0],o)?e:e.slice(1);if(a.length>0&&e[0].length>1&&a.every(([d])=>At(d,o))){let d=a===e?r:e[0].slice(1).map(c=>Fo(c,s));return a.map(([c,...l])=>({id:At(c,o).sku_id,cells:l,columns:d}))}return e.map((d,c)=>({row:n.row+c,cells:d,columns:r.slice(Math.max(0,n.column))}))}function Go(e,n,r,{skus:o,draft:s,started:a}){let d=Io(r);if(!(d===void 0||n===void 0))return n===ce?{...e,purchase_limit:d}:n===de?a||d===""?void 0:{...e,flash_price:d}:!s||n!=="0"&&!ae(e.sku_id,o)?d===""?e:void 0:qe(e,n,d)}function Yn(e,n,r,o,s){let a=[...e.skus],d={filled:0,skipped:0};for(let c of Bo(n,r,o,s)){let l=c.row??a.findIndex(p=>p.sku_id===c.id);if(l<0&&s.draft){let p=s.skus.find(u=>u.sku_id===c.id);l=a.push({...Ee(p,s.points),stock:[]})-1}c.cells.forEach((p,u)=>{let y=a[l]&&Go(a[l],c.columns[u],p,s);y&&(a[l]=y),d[y?"filled":"skipped"]+=1})}return{form:{...e,skus:a},...d}}function Zn(e,n,r){let o=n.map(d=>d===de?"flash_price":d===ce?"purchase_limit":r.find(c=>c.point_id===d)?.point_id??d),s=(d,c)=>c===de?d.flash_price:c===ce?d.purchase_limit:d.stock.find(l=>l.point_id===c)?.quantity??"",a=e.skus.map(d=>[d.sku_id,...n.map(c=>s(d,c))]);return[["sku_id",...o],...a].map(d=>d.join("	")).join(`
`)}var zo=(e,n)=>n.find(r=>r.sku_id===e)?.title??e;function er({form:e,change:n,skus:r,points:o,draft:s,started:a,wrong:d}){let[c,l]=k(),p=pt(e,o),u=ke(()=>p,[p.join()]),y=r.filter(S=>!e.skus.some(w=>w.sku_id===S.sku_id)),m=e.skus.map(S=>S.sku_id).join(),$=(S,w)=>n(T=>({skus:T.skus.map((C,V)=>V===S?{...C,...w(C)}:C)})),f=()=>n({skus:[...e.skus,Ee(y[0],o)]}),_=S=>n(w=>({skus:w.skus.filter((T,C)=>C!==S)})),v=S=>{let[,w,T,C="0"]=/^(sku|price|limit|units)-(\d+)(?:-(\d+))?$/.exec(S.target.name)??[],V=Vn(S.clipboardData.getData("text/plain"));if(!w||V.flat().length<2)return;S.preventDefault();let ue={sku:-1,price:0,limit:1,units:2+Number(C)}[w],ge={skus:r,points:o,draft:s,started:a},pe=Yn(e,V,{row:Number(T),column:ue},[de,ce,...u],ge);l({...pe,before:e}),n(pe.form)},x=()=>{n(c.before),l()};return i`<section class="card"><h2>${t("edit_skus")}</h2>
    ${r.length===0&&i`<p class="empty">${t("edit_no_skus")} <a href="#/goods">${t("menu_goods")}</a></p>`}
    <p class="muted">${t("edit_paste_help")}</p>
    ${e.skus.length>0&&i`<${Jo} ...${{form:e,set:$,remove:_,columns:u,skus:r,points:o,draft:s,started:a}}
      used=${m} wrong=${d} take=${v} />`}
    <div aria-live="polite">${c&&i`<p class="notice" id="pasted">
      ${t("pasted",{filled:h(c.filled)})}
      ${c.skipped>0&&i` ${t("pasted_skipped",{skipped:h(c.skipped)})}`}${" "}
      <button type="button" class="quiet" onClick=${x}>${t("undo")}</button></p>`}</div>
    <div class="row">
      ${s&&y.length>0&&i`<button type="button" class="quiet" id="add-sku" onClick=${f}>
        ${t("add_sku")}</button>`}
      ${s&&i`<${Ko} form=${e} change=${n} columns=${u} points=${o} skus=${r} />`}
      <${Ho} text=${()=>Zn(e,[de,ce,...u],o)} /></div></section>`}function Ho({text:e}){let[n,r]=k();return i`<button type="button" class="quiet" id="copy-table" onClick=${async()=>r(await Xe(e())?!0:{text:e()})}>
      ${t(n===!0?"copied":"copy_table")}</button>
    <div role="status" id="copy-failed">${n?.text&&i`<p>${t("copy_failed")}</p>
        <textarea readonly rows="4" aria-label=${t("copy_table")} value=${n.text}
          onFocus=${s=>s.target.select()}></textarea>`}</div>`}function Ko({form:e,change:n,columns:r,points:o,skus:s}){let a=o.filter(l=>!r.includes(l.point_id));if(a.length===0||!e.skus.some(l=>ae(l.sku_id,s)))return null;let d=l=>n({points:[...e.points??[],l.target.value]}),c=[["",t("add_point")],...a.map(l=>[l.point_id,l.name])];return i`<label class="inline"><span class="hidden">${t("add_point")}</span>
    <${St} name="add-point" value="" options=${c} onChange=${d} /></label>`}function Jo({form:e,set:n,remove:r,columns:o,skus:s,points:a,draft:d,started:c,used:l,wrong:p,take:u}){let y=e.skus.some($=>ae($.sku_id,s)),m=$=>y?a.find(f=>f.point_id===$)?.name??$:t("units");return i`<div class="table grid" tabindex="0" role="region" aria-label=${t("edit_skus")}><table onPaste=${u}>
    <thead><tr><th scope="col">${t("sku")}</th>
      <th scope="col">${t("flash_price")}${c&&i`<${Xn} why=${t("locked_started")} />`}</th>
      <th scope="col">${t("sku_limit")}
        ${c&&i`<span class="muted">${t("only_raised")}</span>`}</th>
      ${o.map($=>i`<th scope="col">${m($)}
        ${y&&i`<span class="muted">${t("units")}</span>`}
        ${!d&&i`<${Xn} why=${t("edit_stock_live")} />`}</th>`)}
      ${d&&i`<th><span class="hidden">${t("remove_sku")}</span></th>`}</tr></thead>
    <tbody>${e.skus.map(($,f)=>i`
      <${Nt} key=${f} ...${{sku:$,i:f,set:n,remove:r,columns:o,skus:s,draft:d,started:c,used:l,wrong:p,nameOf:m}}
        only=${e.skus.length===1} delivered=${y} />`)}</tbody></table></div>
    ${!d&&i`<p class="muted locked"><${Be} name="lock" /> ${t("edit_stock_live")}</p>`}
    ${c&&i`<p class="muted locked"><${Be} name="lock" /> ${t("locked_started_price")}</p>`}`}function Xn({why:e}){return i` <span class="lock" title=${e}><${Be} name="lock" /><span class="hidden">${e}</span></span>`}var Wo=["sku","i","columns","used","draft","started","wrong","only","delivered"],Nt=class extends Ne{shouldComponentUpdate(n){return Wo.some(r=>n[r]!==this.props[r])}render({sku:n,i:r,set:o,remove:s,columns:a,skus:d,draft:c,started:l,used:p,wrong:u,only:y,nameOf:m}){let $=zo(n.sku_id,d),f=p.split(","),v=d.filter(w=>w.sku_id===n.sku_id||!f.includes(w.sku_id)).map(w=>[w.sku_id,w.title]);v.some(([w])=>w===n.sku_id)||v.unshift([n.sku_id,n.sku_id]);let x=w=>{let T=w.target.value,C=ae(T,d)?void 0:qe({stock:[]},"0",Qo(n));o(r,()=>({sku_id:T,flash_price:Rn(T,d),currency:Pe(T,d),...C}))},S=(w,T,C,V,ue)=>i`<td data-name=${T}>
      <${Vo} name=${w} label=${`${$}: ${T}`} value=${C} error=${u[w]}
        onInput=${ge=>o(r,pe=>V(pe,ge.target.value))} ...${ue} /></td>`;return i`<tr>
      <td data-name=${t("sku")}><${St} name="sku-${r}" aria-label=${t("sku")} value=${n.sku_id}
          disabled=${!c} options=${v} onChange=${x} aria-invalid=${!!u[`sku-${r}`]}
          aria-describedby=${u[`sku-${r}`]&&`wrong-sku-${r}`} />
        ${u[`sku-${r}`]&&i`<p class="bad" id="wrong-sku-${r}">${u[`sku-${r}`]}</p>`}
        <p class="muted">${Yo(n.sku_id,d)}</p></td>
      ${S(`price-${r}`,t("flash_price"),n.flash_price,(w,T)=>({flash_price:T}),{required:!0,disabled:l})}
      ${S(`limit-${r}`,t("sku_limit"),n.purchase_limit,(w,T)=>({purchase_limit:T}),{min:1,placeholder:t("no_limit")})}
      ${a.map((w,T)=>w!=="0"&&!ae(n.sku_id,d)?i`<td data-name=${m(w)} class="none" title=${t("not_delivered")}>
              <span aria-hidden="true">–</span><span class="hidden">${t("not_delivered")}</span></td>`:S(`units-${r}-${T}`,m(w),n.stock.find(C=>C.point_id===w)?.quantity??"",(C,V)=>qe(C,w,V),{disabled:!c,required:n.stock.length===0}))}
      ${c&&i`<td><button type="button" class="quiet square" disabled=${y}
          title=${y?t("remove_sku_last"):t("remove_sku")} aria-label=${`${$}: ${t("remove_sku")}`}
          onClick=${()=>s(r)}>×</button></td>`}</tr>`}};function Vo({name:e,label:n,error:r,...o}){return i`<input name=${e} type="number" min="0" step="any" aria-label=${n} onKeyDown=${a=>{if(a.key!=="Enter")return;a.preventDefault();let d=e.replace(/-(\d+)/,(c,l)=>`-${Number(l)+1}`);document.querySelector(`.edit [name="${d}"]`)?.select()}}
      aria-invalid=${!!r} aria-describedby=${r&&`wrong-${e}`} ...${o} />
    ${r&&i`<p class="bad" id="wrong-${e}">${r}</p>`}`}var Qo=e=>e.stock.reduce((n,r)=>n+Number(r.quantity),0);function Yo(e,n){let r=n.find(o=>o.sku_id===e);return r?t("list_price_is",{price:L(r.price,Pe(e,n))}):""}var Zo=e=>new Promise(n=>{let r=new Image;r.onload=()=>n(!0),r.onerror=()=>n(!1),r.src=e});function Xo(e){let[n,r]=k([]);return P(()=>{let o=!0,s=[...new Set(e.filter(Boolean))];return Promise.all(s.map(Zo)).then(a=>{let c=s.filter((l,p)=>!a[p]).map(l=>({check:"pictures",level:"warning",detail:l}));o&&r(c.length>0?c:[{check:"pictures",level:"ok"}])}),()=>{o=!1}},[e.join(" ")]),n}function tr({checks:e,pictures:n,publish:r,then:o}){let s=cn(e),a=[...e,...Xo(n)],d=a.some(l=>l.level==="failure"),c=l=>{let p=`check_${l.check}_${l.level}`,u=["limits","prices","stock","times"].includes(l.check)||l.level==="ok";return i`${ve(p)?t(p,{sku:l.sku_id??"",point:l.point_id??""}):l.detail}
      ${ve(p)&&!u&&i`<span class="muted">${l.detail}</span>`}`};return i`<section class="card checks" id="checks" ref=${s} tabindex="-1" aria-labelledby="checks-title">
    <h2 id="checks-title">${t("checks")}</h2>
    <ul>${a.map(l=>i`<li class=${l.level}>
      <span class="level">${t(`level_${l.level}`)}</span> ${c(l)}</li>`)}</ul>
    ${d?i`<p class="bad">${t("checks_failed")}</p>`:i`<${g} route="POST /activities/{activity_id}/publish" label=${t("publish")} kind="go large"
            id="publish" run=${r} then=${o} />`}</section>`}function es({id:e}){let{value:n,error:r,reload:o}=N(async()=>{let[s,a,d,c]=await Promise.all([e?b("GET",`/activities/${encodeURIComponent(e)}`):void 0,e?G("/skus",{activity_id:e}):[],G("/skus"),G("/points")]),l=new Map([...a,...d].map(p=>[p.sku_id,p]));return{sale:s,skus:[...l.values()],points:c}});return n?i`<${rs} ...${n} />`:r?i`<${O} error=${r} retry=${o} />`:i`<${D} />`}function ts(e,n,r){let o=ke(()=>Gn(e?.activity_id),[]),[s,a]=k(()=>e?.activity_id??o?.id??xe()),[d,c]=k(()=>e?se(e,n):o?.base??Ct(n,r)),[l,p]=k(()=>o?Le(o.base,o.form,d):d),[u,y]=k(!0),[m,$]=k(o?.at),[f,_]=k(!e),v=!Te(l,d);P(()=>{let T=f?void 0:s;v?y(zn(T,{form:l,base:d,id:s,at:new Date().toISOString()})):je(T)},[l,d,s]);let x=()=>a(xe());return{id:s,base:d,setBase:c,form:l,setForm:p,unsaved:v,isKept:u,saved:T=>{f&&je(void 0),_(!1),$(),c(se(T,n)),p(C=>Le(l,C,se(T,n)))},discard:()=>{let T=f?Ct(n,r):d;$(),c(T),p(T),f&&x()},renew:x,restored:v&&m}}async function ns(e,n,r){try{return await b("PUT",e,{body:n,create:!0})}catch(o){if(!sn(o))throw o;let s=await b("GET",e);if(s.state==="draft"&&Te(Ce(se(s,r),r,s),n))return s;throw o}}function rs({sale:e,skus:n,points:r}){let[o,s]=k(e),a=ts(e,n,r),{id:d,base:c,setBase:l,form:p,setForm:u,unsaved:y,isKept:m,saved:$,restored:f}=a,[_,v]=k({}),x=Hn(y),S=!o||o.state==="draft",w=!S&&ne(o)!=="upcoming",T=Q=>{u(M=>({...M,...typeof Q=="function"?Q(M):Q})),v(M=>M.busy?M:{})},C=`/activities/${d}`,V=Q=>async()=>{try{let M=await b("GET",C);s(M),l(se(M,n)),u(Q?Le(o?c:{},p,se(M,n)):se(M,n)),v({})}catch(M){v({error:M})}},ue=Q=>async M=>{M?.preventDefault(),v({busy:!0});let Y;try{if(Y=Ce(p,n,o),!S){let xt=await b("PUT",`${C}/file?dry_run=true`,{version:o.version,body:Y});xt.differences.length===0&&$(o),v(xt.differences.length===0?{saved:!0}:{plan:xt,body:Y});return}let me=await(o?b("PUT",C,{version:o.version,body:Y}):ns(C,Y,n));s(me),$(me),o||history.replaceState(null,"",`#/edit/${me.activity_id}`),v(await Q(me))}catch(me){v({error:me,body:Y})}},ge=async({plan:Q,body:M})=>{v({busy:!0});try{await b("PUT",`${C}/file`,{version:Q.version,body:M});let Y=await b("GET",C);s(Y),$(Y),v({saved:!0})}catch(Y){v({error:Y,body:M})}},pe=()=>{a.renew(),v({})},io=async Q=>({checks:(await b("GET",`/activities/${Q.activity_id}/checks`)).items}),wt=ke(()=>Mn(_.error,_.body,p,pt(p,r)),[_.error]);return P(()=>{_.error&&document.querySelector(".edit [aria-invalid=true]")?.focus()},[_.error]),i`<${cs} sale=${o} draft=${S} path=${C} closed=${s}
      gone=${()=>x.go("#/sales")} />
    ${!S&&i`<p class="notice">${t("edit_published")}</p>`}
    ${f&&i`<p class="notice" id="restored">${t("edit_restored",{time:E(f)})}${" "}
      <button type="button" class="quiet" onClick=${a.discard}>${t("edit_discard")}</button></p>`}
    <form class="edit" onSubmit=${ue(async()=>({saved:!0}))}>
      <${os} form=${p} change=${T} wrong=${wt.fields} draft=${S} started=${w}>
        <${er} form=${p} change=${T} skus=${n} points=${r} draft=${S} started=${w}
          wrong=${wt.fields} /><//>
      ${!w&&i`<${yn} id=${d} form=${p} />`}
      <${In} error=${_.error} wrong=${wt} form=${p} mine=${V(!0)} theirs=${V(!1)}
        apart=${!o&&pe} />
      <div class="bar-row row"><${ls} draft=${S} busy=${_.busy} check=${ue(io)} />
        <${Wn} form=${p} skus=${n} /><${Bn} id=${d} form=${p} skus=${n} sale=${o} />
        <${ss} saved=${_.saved} unsaved=${y} isKept=${m} /></div>
      ${_.checks&&i`<${tr} checks=${_.checks} pictures=${is(o,n)} publish=${()=>as(o)}
        then=${ds} />`}
    </form>
    ${_.plan&&i`<${Jn} plan=${_.plan} apply=${()=>ge(_)} close=${()=>v({})} />`}
    <${Kn} ...${x} discard=${()=>je(o?.activity_id)} />`}function os({form:e,change:n,wrong:r,draft:o,started:s,children:a}){let d=$=>({name:$,value:e[$],onInput:f=>n({[$]:f.target.value})}),c=($,f)=>i`<${Qe} label=${t($)} error=${r[$]} ...${d($)} ...${f} />`,l={options:["none","pow","captcha"].map($=>[$,t(`human_${$}`)]),onChange:$=>n({human_check:$.target.value})},p={placeholder:"10/1",pattern:"[1-9]\\d*/[1-9]\\d*",help:t("limit_form")},u=$=>{let f=new Date(e[$]);if(!Number.isNaN(f.getTime()))return f<new Date?t("time_past",{time:E(f)}):E(f)},y=s?t("locked_started"):void 0,m=o?void 0:t("locked_published");return i`<section class="card"><h2>${t("edit_what")}</h2>
      ${c("title",{required:!0,maxlength:200})}
      ${c("description",{type:"textarea",maxlength:5e3,help:t("description_help")})}
      <div class="columns">
        ${c("image_url",{inputmode:"url",maxlength:500})}
        ${c("shop_id",{required:!0,...te,locked:m})}</div></section>
    <section class="card"><h2>${t("edit_when")}</h2><div class="columns">
      ${c("starts_at",{type:"datetime-local",required:!0,locked:y,help:u("starts_at")})}
      ${c("ends_at",{type:"datetime-local",required:!0,help:u("ends_at")})}
      ${c("pay_within",{type:"number",min:1/60,required:!0,locked:m,help:t("pay_within_help")})}</div></section>
    ${a}
    <section class="card"><h2>${t("edit_gates")}</h2><p class="muted">${t("edit_gates_help")}</p><div class="columns">
      ${c("purchase_limit",{type:"number",min:1,help:t(s?"only_raised":"none_if_empty")})}
      ${c("permit_ratio",{type:"number",min:1,max:100,help:t("permit_ratio_help")})}
      ${c("human_check",l)}
      ${c("paths_per_second",{type:"number",min:.01,help:t("waiting_room_help")})}
      ${["item","user","ip"].map($=>c(`limit_${$}`,p))}
      ${c("segments",{help:t("segments_help"),maxlength:600})}</div></section>`}function ss({saved:e,unsaved:n,isKept:r}){return i`<div class="saved" aria-live="polite">
    ${e&&!n&&i`<p class="good" id="saved">${t("saved")}</p>`}
    ${n&&i`<p class="muted" id="unsaved">${t(r?"unsaved":"unsaved_not_kept")}</p>`}</div>`}var is=(e,n)=>[e.image_url,...e.skus.map(r=>n.find(o=>o.sku_id===r.sku_id)?.image_url)],as=e=>b("POST",`/activities/${e.activity_id}/publish`,{version:e.version}),ds=e=>{location.hash=`#/live/${e.activity_id}`};function cs({sale:e,draft:n,path:r,closed:o,gone:s}){if(!e)return i`<div class="row heading"><h1>${t("new_sale")}</h1></div>`;let a=(d,c,l=e.version)=>b("DELETE",r,{version:l});return i`<div class="row heading"><h1>${e.title}</h1><${he} sale=${e} />
      ${!n&&i`<a class="button" href="#/live/${e.activity_id}">${t("show_live")}</a>`}
      <${dt} sale=${e} /><${ct} sale=${e} then=${o} />
      ${n&&i`<${g} route="DELETE /activities/{activity_id}" label=${t("delete")}
          title=${t("delete_title",{name:e.title})} kind="danger"
        help=${t("delete_draft_help")}
        run=${a} then=${()=>{je(e.activity_id),s()}} />`}</div>`}function ls({draft:e,busy:n,check:r}){return i`<button class=${e?"quiet":"go"} id="save" disabled=${n}>
      ${t(e?"save_draft":"save")}</button>
    ${e&&i`<button type="button" class="go" id="check" disabled=${n}
      onClick=${o=>o.target.form.reportValidity()&&r()}>${t("check_and_publish")}</button>`}`}var us=/^[!-~]{1,64}$/,ps=/^"((?:[^"]|"")*)"$/,ms=/^="((?:[^"]|"")*)"$/,$s=/^([+-]?\d([.,]\d+)?E[+-]\d+|#(N\/A|NV|NAME|\S*[!?]|#+))$/i,be="(0?[1-9]|[12]\\d|3[01])",Rt="(0?[1-9]|1[0-2])",$t="(\\d{2}|[12]\\d{3})",nr="([Jj]an|[Ff]eb|[Mm]ar|[Aa]pr|[Mm]ay|[Jj]un|[Jj]ul|[Aa]ug|[Ss]ept?|[Oo]ct|[Nn]ov|[Dd]ec)",fs=[`${be}\\.${Rt}\\.${$t}`,`${be}/${be}/${$t}`,`[12]\\d{3}-${Rt}-${be}`,`[12]\\d{3}/${Rt}/${be}`,`${nr}-${$t}`,`${be}-${nr}(-${$t})?`],_s=new RegExp(`^(${fs.join("|")})$`),hs=/(code|voucher|coupon|key|pin|serial|number)s?$/i,rr=e=>/\d/.test(e),or=(e,n)=>e.exec(n)?.[1].replaceAll('""','"').trim();function ys(e){let n=or(ps,e),r=or(ms,n??e);return r!==void 0?r:n===void 0&&/^=?"|[,;\t]/.test(e)?"":(n??e).replace(/^'/,"").trim()}function bs(e){return e.length===0||rr(e[0])?!1:hs.test(e[0])||e.length>1&&e.slice(1).every(rr)}function Ut(e="",n=!0){let r={codes:[],wrong:[]},o=0;return e.split(`
`).forEach((s,a)=>{if(!s.trim())return;let d=ys(s.trim()),c=n&&($s.test(d)||_s.test(d));if(!us.test(d)||c)return r.wrong.push(a+1);o||=a+1,r.codes.push(d)}),n&&bs(r.codes)&&r.wrong.unshift(o),r}var sr=1e4,Mt=1e5,ir=5,gs=e=>t("codes_refused",{count:h(e.length),lines:e.slice(0,ir).join(", ")+(e.length>ir?" …":"")}),ar=()=>t("codes_most",{most:h(Mt)});function dr({codes:e},n){let r=Ut(e,n),o=t("codes_counted",{codes:h(r.codes.length)});return i`${o}${r.wrong.length>0&&i`<br />${gs(r.wrong)}`}`}async function ks({target:e}){let[n]=e.files;if(e.setCustomValidity(n?.size>Mt*66?ar():""),!n||!e.reportValidity())return;let{codes:r}=e.form.elements;r.value=await n.text(),r.dispatchEvent(new Event("input",{bubbles:!0}))}function cr(e,n){let{codes:r,wrong:o}=Ut(e,n);if(o.length)throw new Error(t("codes_nothing"));if(r.length>Mt)throw new Error(ar());return r}function lr(e,n){let r=j({text:"",key:""});return async(o,s={})=>{let a=JSON.stringify([o,s]);r.current.text!==a&&(r.current={text:a,key:xe()});let d=[];for(let c=0;c===0||c<o.length;c+=sr){let l={...s,codes:o.slice(c,c+sr)},p=`/skus/${encodeURIComponent(e.sku_id)}/vouchers:${n}`;d.push(await b("POST",p,{key:`${r.current.key}-${c}`,body:l}))}return r.current={text:"",key:""},d}}var ur=({done:e,sku:n,...r})=>t(`codes_${e}`,{sku:n,...Object.fromEntries(Object.entries(r).map(([o,s])=>[o,h(s)]))}),pr=e=>[{name:"codes",label:t("codes"),type:"textarea",rows:8,required:e,spellcheck:!1},{name:"file",label:t("codes_file"),type:"file",accept:".txt,.csv,text/plain",onChange:ks}];function mr({sku:e,then:n}){let r=lr(e,"import"),o=async({codes:s})=>{let a={imported:0,known:0,repeated:0};for(let{accepted:d,skipped:c}of await r(cr(s,!0))){a.imported+=d;for(let{reason:l}of c)a[l]+=1}return{done:"imported",sku:e.sku_id,...a}};return i`<${g} route="POST /skus/{sku_id}/vouchers:import" id="import-${e.sku_id}"
    label=${t("import_codes")} title=${t("import_codes_title",{name:e.title})} help=${t("import_codes_help")}
    fields=${pr(!0)} preview=${s=>dr(s,!0)} run=${o} then=${n} />`}function $r({sku:e,then:n}){let r=lr(e,"withdraw"),o=async({codes:c,all:l})=>{let p=[...new Set(cr(c,!1))];if(!!l==p.length>0)throw new Error(t("withdraw_codes_which"));let y=(await r(p,{all:!!l})).reduce((m,$)=>m+$.withdrawn,0);return{done:"withdrawn",sku:e.sku_id,withdrawn:y,kept:l?0:p.length-y}},s=t("type_to_confirm",{what:e.sku_id}),a=[...pr(!1),{name:"all",label:t("withdraw_codes_all"),type:"checkbox"},{name:"confirm",label:s,required:!0,pattern:e.sku_id.replaceAll(".","\\.")}],d=c=>c.all&&!c.codes?t("withdraw_codes_all"):dr(c,!1);return i`<${g} route="POST /skus/{sku_id}/vouchers:withdraw" id="withdraw-${e.sku_id}" kind="danger"
    label=${t("withdraw_codes")} title=${t("withdraw_codes")} help=${t("withdraw_codes_help")} fields=${a}
    preview=${d} run=${o} then=${n} />`}var vs=()=>["physical","virtual","voucher"].map(e=>[e,t(`kind_${e}`)]),ft=e=>`/skus/${encodeURIComponent(e)}`;function fr(e){let n=r=>e?Z(r,e.currency):"";return[...e?[]:[{name:"sku_id",label:t("sku_id"),required:!0,...te}],{name:"title",label:t("title"),required:!0,maxlength:200,initial:e?.title},{name:"description",label:t("description"),help:t("description_help"),type:"textarea",maxlength:2e3,initial:e?.description},{name:"shop_id",label:t("shop_id"),required:!0,...te,initial:e?.shop_id??He()},{name:"kind",label:t("kind"),options:vs(),initial:e?.kind},{name:"currency",label:t("currency"),required:!0,pattern:"[A-Z]{3}",initial:e?.currency??"CNY"},{name:"price",label:t("list_price"),type:"number",min:0,required:!0,initial:n(e?.price)},{name:"fee",of:"freight.fee",label:t("freight"),type:"number",min:0,initial:n(e?.freight.fee)},{name:"free_over",of:"freight.free_over",label:t("free_over"),help:t("free_over_help"),type:"number",min:0,initial:n(e?.freight.free_over)},{name:"required_fields",label:t("required_fields"),help:t("required_fields_help"),type:"textarea",maxlength:1500,initial:e?.required_fields?.join(`
`)},{name:"image_url",label:t("image_url"),maxlength:500,initial:e?.image_url},...e?[]:[{name:"stock",label:t("ordinary_stock"),type:"number",min:0,initial:0}]]}var _r=e=>(n,r,o)=>We(e,ft(e?.sku_id??n.sku_id),{body:{title:n.title,description:n.description,shop_id:n.shop_id,kind:n.kind,currency:n.currency,image_url:n.image_url,required_fields:n.required_fields.split(`
`).map(s=>s.trim()).filter(Boolean),price:H(n.price,n.currency),freight:{fee:H(n.fee,n.currency)??0,free_over:H(n.free_over,n.currency)??0},...n.stock&&{stock:Number(n.stock)}}},o),hr=({description:e=""})=>Dt(e)&&i`<${mt} text=${e} />`;function ws({query:e}){let n=new URLSearchParams(e).get("sku_id");return n?i`<${xs} id=${n} />`:i`<${Os} />`}function xs({id:e}){return i`<${yr} list=${Ye(ft(e))}><p><a href="#/goods">${t("all_goods")}</a></p><//>`}function Os(){let[e,n]=k({shop_id:""}),r=B("/skus",e);return i`<${yr} list=${r}><${ee} values=${e} change=${n}
    fields=${[{name:"shop_id",label:t("shop_id"),maxlength:te.maxlength}]} /><//>`}function yr({list:e,children:n}){let[r,o]=k(),s=[[i`<span class="hidden">${t("image_url")}</span>`,a=>i`<span class="thumb">
      <${Ge} url=${a.image_url} title=${a.title} tone=${ze(a.sku_id)} /></span>`,"thumbnail"],[t("title"),a=>i`<b>${a.title}</b><p class="muted"><code>${a.sku_id}</code></p>`,"lead wide"],[t("shop"),a=>a.shop_id,"named"],[t("kind"),a=>t(`kind_${a.kind}`)],[t("list_price"),a=>L(a.price,a.currency),"number named"],[t("freight"),a=>L(a.freight.fee,a.currency),"number named"],[t("ordinary_stock"),a=>h(a.stock),"number named"],["",a=>i`<div class="row actions many">
      <${g} route="PUT /skus/{sku_id}"
        label=${t("edit")} title=${t("edit")} fields=${fr(a)} run=${_r(a)} then=${e.reload}
        preview=${hr} />
      <${Ss} sku=${a} then=${e.reload} />
      ${a.kind==="voucher"&&i`<${mr} sku=${a} then=${o} /><${$r} sku=${a} then=${o} />`}
      <${g} route="DELETE /skus/{sku_id}"
        label=${t("delete")} title=${t("delete_title",{name:a.title})} kind="danger"
        help=${t("delete_sku_help")}
        run=${(d,c,l=a.version)=>b("DELETE",ft(a.sku_id),{version:l})}
        then=${e.reload} /></div>`,"tools"]];return i`<div class="row heading"><h1>${t("menu_goods")}</h1>
      <${g} route="PUT /skus/{sku_id}"
        label=${t("new_sku")} title=${t("new_sku")} kind="go" fields=${fr()} run=${_r()}
        then=${e.reload} preview=${hr} /></div>
    ${n}
    <p role="status" id="codes" class=${r?"notice":""}>${r&&ur(r)}</p>
    <${z} list=${e} name=${t("menu_goods")} columns=${s} empty=${t("goods_none")}
      keyOf=${a=>a.sku_id} />`}function Ss({sku:e,then:n}){let r=`${ft(e.sku_id)}/stock`,o=(c,l)=>t(l,{sku:e.title,before:h(e.stock),after:h(st(e.stock,c))}),s=(c,l)=>b("POST",r,{key:l,body:{delta:c}}),a=(c,l,p=e.stock_version)=>c.how==="set"?b("PUT",r,{version:p,body:{stock:Number(c.units)}}):s(ye(c),l),d=(c,l)=>{let p=l.how==="set"?e.stock-Number(l.units):-ye(l);return p!==0&&(u=>s(p,u))};return i`<${g} route="POST /skus/{sku_id}/stock" label=${t("change_stock")} title=${t("change_stock")}
    help=${t("set_stock_help")} id="stock-${e.sku_id}" fields=${ot()} run=${a} then=${n}
    preview=${c=>o(c,"goods_stock_preview")} done=${(c,l)=>o(l,"done_goods_stock")}
    undo=${d} />`}function br({label:e,view:n,id:r}){return i`<form class="row" onSubmit=${s=>{s.preventDefault(),location.hash=`#/${n}/${encodeURIComponent(Xt(s.target)[r])}`}}>
    <${Qe} name=${r} label=${e} required maxlength="64" autocomplete="off" spellcheck=${!1} />
    <button class=${n==="voucher"?"go":""}>${t("show")}</button></form>`}function Ts({me:e,links:n}){return i`<div class="row heading"><h1>${t("home_title",{name:e.name.replace("key:","")})}</h1></div>
    <p>${e.shop_id?t("own_shop_help"):t(`scope_${e.scope}_help`)}</p>
    ${e.scope==="till"&&i`<section class="card">
      <${br} label=${t("voucher_code")} view="voucher" id="code" />
      <${br} label=${t("order_number")} view="order" id="number" /></section>`}
    ${n.length>0&&i`<ul>${n.map(([r,o])=>i`<li><a href="#/${r}">${t(`menu_${o}`)}</a></li>`)}</ul>`}
    ${!q("POST /keys")&&i`<p class="muted">${t("home_help")}</p>`}`}function Ps({route:e}){let n=(tn(e)??[]).map(r=>t(`scope_${r}`));return n.length?i`<div class="problem" role="alert"><p>${t("not_in_scope")}</p>
    <p class="muted">${t("scopes_needed",{scopes:n.join(", ")})}</p></div>`:i`<p class="problem" role="alert">${t("not_of_a_shop")}</p>`}var qs=["till","support","catalogue","read","events","payments","admin"];function gr(e){return e.revoked_at?"revoked":e.expires_at&&Date.parse(e.expires_at)<=Ie()?"expired":"active"}function Es({revoked_at:e,revoked_by:n,expires_at:r}){return e?i`<${A} at=${e} /><p class="muted">${n}</p>`:r?i`<${A} at=${r} />`:t("no_end")}function Cs(){let e=B("/keys"),[n,r]=k(),o=[{name:"name",label:t("name"),help:t("key_name_help"),required:!0,maxlength:60},{name:"scope",label:t("scope"),options:qs.map(c=>[c,t(`scope_${c}`)]),initial:"till"},{name:"shop",of:"shop_id",label:t("shop"),help:t("key_shop_help"),...te},{name:"until",of:"expires_at",label:t("key_until"),help:t("key_until_help"),type:"datetime-local"}],s=({name:c,scope:l,shop:p,until:u},y)=>b("POST","/keys",{key:y,body:{name:c,scope:l,...p&&{shop_id:p},...u&&{expires_at:new Date(u).toISOString()}}}),a=c=>{r(c),e.reload()},d=[[t("name"),c=>i`<b>${c.name}</b>`,"lead"],[t("scope"),c=>i`<span title=${t(`scope_${c.scope}_help`)}>${t(`scope_${c.scope}`)}</span>`],[t("shop"),c=>c.shop_id??t("all_shops"),"named"],[t("state"),c=>i`<${F} state=${gr(c)} />`],[R(t("last_used")),c=>c.last_used_at?i`<${A} at=${c.last_used_at} />`:t("never"),"named"],[R(t("made")),c=>i`<${A} at=${c.created_at} /><p class="muted">${c.created_by}</p>`,"named"],[R(t("ends")),Es,"named"],["",c=>gr(c)==="active"&&i`<${g} label=${t("revoke")} title=${t("revoke_title",{name:c.name})} help=${t("revoke_help")}
        kind="danger" id="revoke-${c.key_id}" run=${()=>b("DELETE",`/keys/${c.key_id}`)} then=${e.reload} />`,"tools"]];return i`<div class="row heading"><h1>${t("menu_keys")}</h1>
      <${g} label=${t("new_key")} kind="go" id="new-key" title=${t("new_key")} fields=${o} run=${s}
        then=${a} preview=${({scope:c="till"})=>t(`scope_${c}_help`)} /></div>
    <p class="muted">${t("keys_help")}</p>
    <${z} list=${e} name=${t("menu_keys")} columns=${d} empty=${t("keys_none")}
      keyOf=${c=>c.key_id} />
    ${n&&i`<${_n} title=${t("key_made",{name:n.name})} help=${t("key_made_help")} secret=${n.secret}
        close=${()=>r()} />`}`}var vr=1e3,Ls=300;async function kr(e){let n=e&&{method:"POST",headers:{"Content-Type":"application/json"},body:JSON.stringify(e)},r=await Vt(Kt("/dev/crowd"),n||{}).catch(()=>{throw{code:"unreachable"}}),o=await r.json();if(!r.ok)throw o;return o}function js(e){let[n,r]=k(),[o,s]=k(),[a,d]=k(""),[c,l]=k(0),p=j(!1),u=!!n?.running;return P(()=>{let m=!0,$=setTimeout(()=>kr().then(f=>{if(m){if(f.activity_id!==e||!f.buyers){r(void 0);return}r(f),f.running&&s(),u&&!f.running&&d(t("crowd_ended",{ordered:h(f.ordered),refused:h(f.refused),drift:h(f.drift)})),l(_=>_+(f.running?1:0))}},()=>m&&l(f=>f+(u?1:0))),u?Ls:0);return()=>{m=!1,clearTimeout($)}},[e,c]),{crowd:n,error:o,said:a,running:u,send:async()=>{if(!p.current){p.current=!0,s();try{let m=await kr({activity_id:e,buyers:vr});r(m),d(t("crowd_begun",{count:h(m.buyers)}))}catch(m){s(m)}p.current=!1,l(m=>m+1)}}}}function wr({activity:e,sells:n=!0}){let{crowd:r,error:o,said:s,running:a,send:d}=js(e);if(!n&&!r)return null;let c=h(vr),l=t(r?"crowd_again":"crowd_send",{count:c}),p=a?t("crowd_running",{count:h(r.buyers)}):l;return i`<section class="crowd card" aria-labelledby="crowd-title">
    <div class="crowd-head"><div><span class="badge">${t("crowd_demo")}</span>
        <h2 id="crowd-title">${t("crowd_title",{count:c})}</h2>
        <p class="muted">${t("crowd_help")}</p></div>
      <button
        id="send-crowd"
        class="large"
        disabled=${a||!n}
        onClick=${d}
      >${p}</button></div>
    ${o?.code==="conflict"?i`<p class="problem" role="alert">${t("crowd_busy")}</p>`:i`<${O} error=${o} />`}
    ${r&&i`<${Ds} crowd=${r} />`}
    <p class="hidden" role="status">${s}</p>
  </section>`}function Ds({crowd:e}){let n=[["bought",e.ordered],["refused",e.refused],["waiting",e.waiting]],r=Math.max(e.elapsed_ms,1)/1e3,o=e.units_before-e.units_left,s=e.ok!==void 0,a=!e.running&&o===e.ordered,d={sold:h(o),total:h(e.units_before)},c=e.drift===0?"good":"bad",l=(p,u,y="")=>i`<div class="fact ${p} ${y}"><dt>${t(`crowd_${p}`)}</dt>
    <dd>${u}${y==="good"&&i`<span aria-hidden="true"> ✓</span>`}</dd></div>`;return i`<div class="outcome ${e.running?"running":"over"}">
    <div class="crowd-bar" aria-hidden="true">${n.map(([p,u])=>i`
      <span class=${p} style=${{width:`${100*u/e.buyers}%`}}></span>`)}</div>
    <dl class="crowd-numbers">${n.map(([p,u])=>i`<div class=${p}>
      <dt>${t(`crowd_${p}`)}</dt><dd>${h(u)}</dd></div>`)}</dl>
    <dl class="crowd-facts">
      ${l("sold",t("crowd_sold_of",d),a?"good":"")}
      ${l("drift",s?h(e.drift):"…",s?c:"")}
      ${l("rate",h(Math.round(e.requests/r)))}
      ${l("time",t("crowd_seconds",{seconds:r.toFixed(1)}))}</dl>
    <${As} answers=${e.answers} /></div>`}function As({answers:e}){let n={};for(let[s,a]of Object.entries(e)){let d=s.slice(s.indexOf(":")+1);d!=="ok"&&(n[d]=(n[d]??0)+a)}let r=Object.entries(n).sort(([,s],[,a])=>a-s);if(r.length===0)return null;let[[,o]]=r;return i`<div class="told"><h3>${t("crowd_told")}</h3>
    <ul>${r.map(([s,a])=>i`<li key=${s}><span>${Ns(s)}</span><b>${h(a)} ×</b>
      <span class="told-bar" aria-hidden="true">
        <span style=${{width:`${100*a/o}%`}}></span></span></li>`)}</ul></div>`}function Ns(e){for(let n of[`crowd_told_${e}`,`problem_${e}`])if(ve(n))return t(n);return e}function Rs(e){return e.ok?!0:e.changes_stuck>0&&e.bought_wrong===0&&_e([...e.items,...e.totals])===0}function Us(e){let n=new Map;for(let r of e)n.has(r.sku_id)||n.set(r.sku_id,[]),n.get(r.sku_id).push(r);return[...n].map(([r,o])=>({sku_id:r,points:o,...rn(o)}))}function xr({audit:e,sale:n,again:r}){let o=Us(e.items),s=o.map(u=>u.sku_id),[a,d]=k(()=>new Set(s.length<=10?s:[])),c=u=>d(y=>{let m=new Set(y);return m.delete(u)||m.add(u),m}),l=a.size===s.length,p=Rs(e);return i`<section class="account"><div class="row heading"><h2>${t("account")}</h2>
      <span class="badge ${ie(p)}">${t(p?"account_ok":"account_wrong")}</span>
      ${!p&&i`<${g} route="POST /activities/{activity_id}/audit/repair"
          label=${t("repair")} title=${t("repair")} help=${t("repair_help")} kind="danger"
        run=${(u,y)=>b("POST",`/activities/${n.activity_id}/audit/repair`,{key:y})} then=${r} />`}
      <button class="quiet" id="all-points" onClick=${()=>d(new Set(l?[]:s))}>
        ${t(l?"fold_points":"show_points")}</button></div>
    <p class="muted">${t("account_rule")}</p>
    ${e.changes_pending>0&&i`<p class="notice">
      ${t("changes_pending",{changes:h(e.changes_pending)})}${" "}
      ${e.changes_stuck>0&&t("changes_stuck",{changes:h(e.changes_stuck)})}</p>`}
    <div class="table wide" tabindex="0" role="region" aria-label=${t("account")}><table role="table">
      <thead role="rowgroup"><tr role="row"><th scope="col" role="columnheader">${t("sku")}</th>
        <th scope="col" role="columnheader">${t("point")}</th>
        ${Je.map(u=>i`
        <th scope="col" role="columnheader" class="number">${t(`units_${u}`)}</th>`)}</tr></thead>
      ${o.map(u=>i`<tbody role="rowgroup" key=${u.sku_id}>
        <${_t} sku=${u.sku_id} values=${u} open=${a.has(u.sku_id)} toggle=${c} />
        ${a.has(u.sku_id)&&u.points.map(y=>i`
          <${_t} key=${y.point_id} point=${y.point_id} values=${y} />`)}</tbody>`)}
    </table></div></section>`}var _t=class extends Ne{shouldComponentUpdate(n){return n.open!==this.props.open||Je.some(r=>n.values[r]!==this.props.values[r])}render({sku:n,point:r,values:o,open:s,toggle:a}){return i`<tr class=${n?"sum":""} role="row">
      <td class="name" role="cell">${n&&i`<button class="fold" aria-expanded=${s} onClick=${()=>a(n)}>${n}</button>`}</td>
      <td class="name" role="cell" data-name=${r&&t("point")}>${r}</td>
      ${Je.map(d=>{let c=d==="drift"?ie(o.drift===0):"",l=t(`units_${d}`);return i`<td class="number ${c}" role="cell" data-name=${l}>${h(o[d])}</td>`})}</tr>`}};var Ms=1e4,Or=["pointerdown","keydown"],Sr=Ue("alarm_sound"),X,Tr;function ht(){return X??=new AudioContext,X.resume()}function Pr(){Tr??=ht().then(()=>{Tr=void 0,Is()})}function Is(){for(let[e,n]of[[0,880],[.25,660]]){let r=X.createOscillator(),o=X.createGain();r.frequency.value=n,o.gain.value=.2,r.connect(o).connect(X.destination),r.start(X.currentTime+e),r.stop(X.currentTime+e+.2)}}function Fs(e){let[,n]=k(0);return P(()=>{if(!e)return;ht();let r=()=>n(o=>o+1);r(),X.addEventListener("statechange",r);for(let o of Or)addEventListener(o,ht,!0);return()=>{X.removeEventListener("statechange",r);for(let o of Or)removeEventListener(o,ht,!0)}},[e]),!X||X.state==="running"}function qr(){let[e,n]=k(localStorage.getItem(Sr)==="on");return[e,o=>{localStorage.setItem(Sr,o?"on":"off"),n(o),o&&Pr()}]}function It(e,n){let r=j(0);return{...J(e,async()=>{r.current||=Date.now();try{let s=await n();return r.current=0,s}catch(s){throw s.status<500&&(r.current=0),s}},!0),since:r.current}}function Er({value:e,since:n},{value:r,since:o}){let s=r&&_e([...r.items,...r.totals]),a=[],d=c=>c>0&&Date.now()-c>Ms;return(d(n)||d(o))&&a.push(["stale",t("alarm_stale")]),r&&!r.ok&&a.push(["drift",s>0?t("alarm_drift",{drift:h(s)}):t("account_wrong")]),e?.queue.dead>0&&a.push(["dead",t("alarm_dead",{dead:h(e.queue.dead)})]),a}function Cr({on:e,change:n}){let r=Fs(e);return i`<label class="option sound"><input type="checkbox" id="sound" checked=${e}
      onChange=${o=>n(o.target.checked)} />${t("alarm_sound")}</label>
    <p class="muted" role="status" id="sound-waits">${e&&!r&&t("alarm_waits")}</p>`}function Lr({title:e,reasons:n,on:r}){let o=j(new Set),s=n.map(([a])=>a).join();return P(()=>{document.title=`${n.length>0?`(${n.length}!) `:""}${e} · Onrush`},[e,n.length]),P(()=>{r&&n.some(([a])=>!o.current.has(a))&&Pr(),o.current=new Set(n.map(([a])=>a))},[s]),i`<div role="alert" class="alarms">${n.map(([a,d])=>i`<p key=${a} class="problem" id="alarm-${a}">${d}</p>`)}</div>`}var Ft=5,yt=({code:e})=>i`${W("refusal",e).replace(e,"")} <code class="muted below">${e}</code>`;function jr({stats:e}){let{value:n,error:r,reload:o}=J(3e3,()=>b("GET",`/refusals?minutes=${Ft}`)),s=Object.entries(e.answers).map(([u,y])=>({call:u.split(":")[0],code:u.split(":")[1],n:y})).sort((u,y)=>y.n-u.n),a=Math.max(1,...s.map(({n:u})=>u)),d=({n:u})=>i`<${en} value=${u} of=${a} />`,c=[[t("call"),u=>t(`call_${u.call}`)],[t("code"),u=>i`<${yt} code=${u.code} />`,"lead"],[t("share"),d],[t("count"),u=>h(u.n),"number end"]],l=[[t("code"),u=>i`<${yt} code=${u.code} />`,"lead"],[t("count"),u=>h(u.requests),"number end"]],p=[["rooms","room_id"],["share_sources","share_source"]].filter(([u])=>e[u].length);return i`<div class="columns">
    <section><h2>${t("answers")}</h2>
      <${U} name=${t("answers")} rows=${s} columns=${c} empty=${t("answers_none")}
        keyOf=${u=>`${u.call}:${u.code}`} /></section>
    <section><h2>${t("refusals",{minutes:Ft})}</h2>
      <${O} error=${r} retry=${o} />
      ${n&&i`<${U} name=${t("refusals",{minutes:Ft})} rows=${n.items} columns=${l}
        empty=${t("refusals_none")} keyOf=${u=>u.code} />`}</section>
    ${p.map(([u,y])=>i`<${Bs} name=${u} id=${y} stats=${e} />`)}</div>`}function Bs({name:e,id:n,stats:r}){let o=a=>`#/money/orders?${new URLSearchParams({activity_id:r.activity_id,[n]:a[n]})}`,s=[[t(e),a=>i`<a href=${o(a)}>${a[n]}</a>`,"lead"],[t("orders"),a=>h(a.orders),"number end"]];return i`<section><h2>${t(e)}</h2>
    <${U} name=${t(e)} rows=${r[e]} columns=${s} empty="" keyOf=${a=>a[n]} /></section>`}var Dr=150,Gs=300;function Bt({title:e,times:n,series:r}){let o=j(),s=j(),[a,d]=k(),c=[n.map(m=>m/1e3),...r.map(m=>m.values)],l=j(c);l.current=c,P(()=>{let m=!1,$=matchMedia("(prefers-color-scheme: dark)"),f=async()=>{let{default:v}=await import("./uplot-2LURMCIS.js");m||(s.current?.destroy(),s.current=new v(zs(o.current.clientWidth,r,d),l.current,o.current))},_=new ResizeObserver(()=>s.current?.setSize({width:o.current.clientWidth,height:Dr}));return f(),$.addEventListener("change",f),_.observe(o.current),()=>{m=!0,$.removeEventListener("change",f),_.disconnect(),s.current?.destroy()}},[]),P(()=>{s.current?.setData(l.current)});let p=a??n.length-1,u=({values:m})=>m[p]==null?"–":h(m[p]),y=r.every(({values:m})=>m.filter($=>$!=null).length<2);return i`<figure class="card chart">
    <figcaption><b>${e}</b>${a!==void 0&&i` <span class="muted">${Ke(n[a])}</span>`}${r.map(m=>i`
      <span class="line ${m.color}">${m.label} <b>${u(m)}</b></span>`)}</figcaption>
    ${y&&i`<p class="muted nothing">${t("chart_empty")}</p>`}
    <div ref=${o} aria-hidden="true"></div></figure>`}function zs(e,n,r){let o=getComputedStyle(document.documentElement),s=c=>o.getPropertyValue(`--${c}`).trim(),a={stroke:s("muted"),grid:{stroke:s("line"),width:1},ticks:{show:!1},font:"11px system-ui"},d=new Intl.DateTimeFormat(Me,{hour:"2-digit",minute:"2-digit",hourCycle:"h23"});return{width:e,height:Dr,legend:{show:!1},cursor:{y:!1,drag:{x:!1},points:{size:7}},hooks:{setCursor:[({cursor:c})=>r(c.idx??void 0)]},scales:{x:{range:(c,l,p)=>[Math.min(l,p-Gs),p]},y:{range:(c,l,p)=>[Math.min(0,l),Math.max(1,p*1.1)]}},axes:[{...a,values:(c,l)=>l.map(p=>d.format(p*1e3)),space:70,size:30},{...a,size:52,values:(c,l)=>l.map(p=>Number.isInteger(p)?h(p):"")}],series:[{},...n.map(c=>({stroke:s(c.color),width:2,fill:`${s(c.color)}22`,points:{show:!1},spanGaps:!0}))]}}var Ar=5e3,Nr=720;function Rr(e,n){let r=Date.parse(n.server_time);if(e.length&&r-e.at(-1).at<Ar)return e;let o=s=>n.partial&&!s?void 0:s;return[...e,{at:r,orders_per_second:o(n.orders_per_second),remaining:fe(n)??null,unpaid:o(n.unpaid),paid:o(n.paid)}].slice(-Nr)}function Ur(e,n){let r=e.map(s=>({...s,at:Date.parse(s.at)}));return[...new Map([...n,...r].map(s=>[Math.floor(s.at/Ar),s])).values()].sort((s,a)=>s.at-a.at).slice(-Nr)}function Mr({points:e}){let n=e.map(a=>a.at),r=(a,d,c)=>({label:a,color:d,values:c}),o=a=>e.map(d=>d[a]??null),s=(a,d,c)=>i`
    <${Bt} title=${t(a)} times=${n} series=${[r("",d,c)]} />`;return i`<section class="charts" aria-label=${t("charts")}>
    ${s("orders_per_second","link",o("orders_per_second"))}
    ${s("left","link",o("remaining"))}
    <${Bt} title=${t("unpaid_paid")} times=${n}
      series=${[r(t("state_unpaid"),"warn",o("unpaid")),r(t("state_paid"),"good",o("paid"))]} />
  </section>`}var Gr=5,Hs=100,bt=6e4,Ir=6;async function zr(e){if(!q("GET /orders"))return;let n=Ie()-e.pay_within_s*1e3+Gr*bt,r=new URLSearchParams({activity_id:e.activity_id,status:"unpaid",to:new Date(n).toISOString(),page_size:String(Hs)}),{items:o,next_cursor:s,partial:a}=await b("GET",`/orders?${r}`);return a?void 0:{units:o.flatMap(c=>c.items).reduce((c,l)=>c+l.quantity,0),more:!!s}}function Ks(e){let n=e.filter(s=>s.paid!==void 0),r=n.at(-1),o=n.find(s=>r.at-s.at<=bt);if(!(!r||r.at-o.at<bt/6))return Math.max(0,Math.round((r.paid-o.paid)*bt/(r.at-o.at)))}var Js=(e,n)=>new Intl.NumberFormat(Me,{style:"percent",maximumFractionDigits:1}).format(e/n),Ws=e=>e?t("peak",{orders:h(e.orders),time:Ke(e.at)}):"",Fr=e=>e===1?t("of_order"):t("of_orders",{orders:typeof e=="number"?h(e):e}),Vs=e=>t("room_length",{admitted:h(e.admitted),time:we(e.last_waits_s*1e3)});function Hr({sale:e,skus:n,stats:r,audit:o,coming:s,points:a}){let d=x=>r.partial&&x===0?"–":x,c=x=>r.loaded?$e(r.stock,x):"–",l=o?$e(o.items,"remaining"):fe(r),p=$e(o?o.items:r.stock,"total"),u=r.placed+r.unpaid+r.paid+r.refunded+r.cancelled+r.failed,y=r.paid+r.refunded,m=Ks(a),$=s&&(s.more?`${h(s.units)}+`:s.units),f=r.loaded&&n&&$n(e,n,r.stock),_=r.waiting_room,v=[["left",l??"–",t("of_total",{total:h(p)})],["orders_per_second",d(r.orders_per_second),Ws(r.peak)],["paid_units",c("paid"),Fr(d(r.paid))],["held",c("held"),Fr(d(r.unpaid+r.placed))],["revenue",f?fn(f):"–",t("revenue_note")],["drift",o?_e(o.items):"–","",o?ie(o.ok):""],["dead",d(r.queue.dead),"",r.queue.dead?"bad":""],["coming_back",$??"–",t("coming_back_note",{minutes:Gr})],["paid_rate",u>0&&!r.partial?Js(y,u):"–",m===void 0?"":t("paid_minute",{n:h(m)})],["state_cancelled",d(r.cancelled)],["in_room",_?_.waiting:"–",_?Vs(_):t("room_none_short")],["queued",d(r.queue.length),t("oldest_age",{time:we(r.queue.oldest_ms)})]];return i`<${Br} figures=${v.slice(0,Ir)} />
    <details class="more-figures"><summary>${t("more_figures")}</summary>
      <${Br} figures=${v.slice(Ir)} /></details>`}function Br({figures:e}){return i`<dl class="figures six">${e.map(([n,r,o,s=""])=>i`
    <div id="figure-${n}" class=${s}><dt>${t(n)}</dt>
      <dd>${typeof r=="number"?h(r):r} <small>${o}</small></dd></div>`)}</dl>`}function Kr({children:e}){let n=j();return P(()=>{let o=s=>{let{current:a}=n;!a.contains(s.target)&&!a.querySelector("dialog")&&(a.open=!1)};return addEventListener("pointerdown",o),addEventListener("focusin",o),()=>{removeEventListener("pointerdown",o),removeEventListener("focusin",o)}},[]),i`<details class="menu" ref=${n} onKeyDown=${o=>{o.key!=="Escape"||n.current.querySelector("dialog")||(n.current.open=!1,n.current.querySelector("summary").focus())}}>
    <summary class="button quiet">${t("more_actions")}</summary><div>${e}</div></details>`}var Gt="PATCH /activities/{activity_id}",gt=[.1,.2,.5,1,2,5,10,20,30,50,75,100,150,200,300,500,750,1e3,2e3,5e3,1e4],Qs=e=>gt.reduce((n,r,o)=>Math.abs(r-e)<Math.abs(gt[n]-e)?o:n,0),Ys=(e,n,r)=>({waiting:h(e.waiting),admitted:h(e.admitted),time:we((r?e.last_waits_s:e.waiting/n)*1e3),rate:h(n)});function Jr({sale:e,line:n,then:r}){let[o,s]=k();if(!["upcoming","running"].includes(ne(e)))return null;let a=e.waiting_room?.paths_per_second??-1,d=a>0,c=o??(d?a:10),l=d&&c===a,p=f=>()=>y(a)({},"",f.version),u=f=>{let _=f.waiting_room?.paths_per_second??-1;return _>0?t("done_room",{rate:h(_)}):t("done_room_ended")},y=f=>(_,v,x)=>b("PATCH",`/activities/${e.activity_id}`,{version:x??e.version,body:{waiting_room:{paths_per_second:f}}}),m=()=>{s(),r()},$=f=>Number(f.target.value)>=.01&&s(Number(f.target.value));return i`<details class="card room" id="room" open=${d}>
    <summary><h2>${t("room")}</h2> <span>${d?t("room_admits",{rate:h(a)}):t("room_none")}
      ${n&&i` <b id="room-line">${t("room_waits",Ys(n,c,l))}</b>`}</span></summary>
    ${q(Gt)&&i`<div class="row">
      <label class="slider"><span>${t("room_rate")}</span>
        <input type="range" min="0" max=${gt.length-1} value=${Qs(c)}
          aria-valuetext=${t("room_rate_is",{rate:h(c)})} onInput=${f=>s(gt[f.target.value])} />
      </label>
      <label class="unit"><span class="hidden">${t("room_rate")}</span>
        <input type="number" name="rate" min="0.01" step="any" value=${c} onChange=${$} />
        <span class="muted">${t("a_second")}</span></label></div>
    ${l&&i`<p class="muted">${t("room_same")}</p>`}
    <div class="row">
      ${l?i`<button class="quiet" disabled>${t("room_set")}</button>`:i`<${g} route=${Gt}
            label=${t(d?"room_set":"room_open")} id="room-set" run=${y(c)} then=${m}
            done=${u} undo=${d&&p} />`}
      ${d&&i`<${g} route=${Gt}
          label=${t("room_end")} title=${t("room_end")} help=${t("room_end_help")} kind="danger"
        id="room-end" run=${y(-1)} then=${m} done=${u} undo=${p} />`}</div>`}</details>`}var Zs=e=>ne(e)==="running"&&!e.paused_at;function Xs({id:e,query:n}){let r=new URLSearchParams(n).get("do"),o=`/activities/${encodeURIComponent(e)}`,[s,a]=qr(),d=J(5e3,()=>b("GET",o)),c=N(()=>G("/skus",{activity_id:e})),l=J(6e4,()=>b("GET",`${o}/history`)),p=J(1e4,async()=>d.value&&zr(d.value)),u=!!d.value;P(()=>{u&&p.reload()},[u]);let y=j([]),m=It(1e3,async()=>{let S=await b("GET",`${o}/stats`);return Wt(S.server_time),y.current=Rr(y.current,S),S}),$=It(2e3,()=>b("GET",`${o}/audit`));Yt();let f=d.error??m.error??$.error;if(!d.value)return f?i`<${O} error=${f} retry=${d.reload} />`:i`<${D} />`;let _=()=>{d.reload(),$.reload(),m.reload()},v=Ur(l.value?.items??[],y.current),x=`#/money/orders?${new URLSearchParams({activity_id:e})}`;return i`<div class="row heading"><h1>${d.value.title}</h1><${he} sale=${d.value} />
      <span class="muted" role="timer">${wn(d.value)}</span>
      <span class="row actions"><${Ln} sale=${d.value} then=${_} opens=${r==="pause"} />
        <${Cn} sale=${d.value} then=${_} /><${En} sale=${d.value} then=${_} />
        <${Kr}>${q("GET /orders")&&i`<a id="orders" href=${x}>${t("orders")}</a>`}
          ${q("GET /activities/{activity_id}/report")&&i`<a id="report" href=${xn(d.value)}>${t("report")}</a>`}
          ${q("GET /changes")&&i`<a href="#/changes?${new URLSearchParams({on:`activity:${e}`})}">${t("menu_changes")}</a>`}
          ${q("PUT /activities/{activity_id}")&&i`<a href="#/edit/${e}">${t("edit")}</a>`}
          <${dt} sale=${d.value} kind="link" /><${ct} sale=${d.value} then=${_} /><//></span></div>
    <div class="row toolbar"><${Cr} on=${s} change=${a} /></div>
    ${d.value.paused_at&&i`<p class="notice warn" id="paused" role="status">
      ${t("sale_paused",{time:E(d.value.paused_at)})}</p>`}
    <${O} error=${f} retry=${_} />
    <${Lr} title=${d.value.title} reasons=${Er(m,$)} on=${s} />
    ${m.value?.partial&&i`<p class="notice">${t("partial")}</p>`}
    ${m.value&&i`<${Hr} sale=${d.value} skus=${c.value} stats=${m.value} audit=${$.value}
        coming=${p.value} points=${v} />`}
    <${Jr} sale=${d.value} line=${m.value?.waiting_room} then=${_} />
    <${Mr} points=${v} />
    ${$.value&&i`<${xr} audit=${$.value} sale=${d.value} again=${_} />`}
    ${m.value&&i`<${jr} stats=${m.value} />`}
    ${Re.dev_tokens&&Zs(d.value)&&i`<${wr} activity=${e} />`}`}var ei=["expired","refused","failed","unavailable"];function ti(){let e=new URLSearchParams(location.search).get("login");return i`${ei.includes(e)&&i`<p class="problem" role="alert">${t(`login_${e}`)}</p>`}
    <p><a class="button go" id="issuer-login" href=${Qt()}>${t("sign_in_at",{host:Re.sign_in})}</a></p>
    <p class="muted">${t("or_key")}</p>`}function ni({id:e,query:n}){let r=`/orders/${encodeURIComponent(e)}`,{value:o,error:s,reload:a}=J(5e3,async()=>{let[l,p]=await Promise.all([b("GET",r),q("GET /refunds")?b("GET",`/refunds?order_number=${encodeURIComponent(e)}&page_size=50`):{items:[]}]),u=ii(l,p.items),y=!u||u.channel==="outside",m=l.items.map($=>({...$,left:$.quantity-ri($,p.items)}));return{order:{...l,items:m,byPayment:!!u,outside:y},refunds:p.items}});if(!o)return s?i`<${O} error=${s} retry=${a} />`:i`<${D} />`;let{order:d,refunds:c}=o;return i`<div class="row heading">
      <h1>${t("order_title",{number:d.order_number})}</h1><${F} state=${d.status} />
      <${hi} order=${d} reload=${a} opens=${n==="do=refund"} />
      <${ai} order=${d} path=${r} reload=${a} />
      <${si} order=${d} path=${r} reload=${a} /></div>
    <div class="columns"><${di} order=${d} reload=${a} /><${ci} order=${d} /></div>
    <h2>${t("payments")}</h2>
    <${U} name=${t("payments")} rows=${d.payments??[]} columns=${ui()}
      empty=${t("order_payments_none")} keyOf=${l=>l.pay_number} />
    ${q("GET /refunds")&&i`<h2>${t("refunds")}</h2>
    <${U} name=${t("refunds")} rows=${c} columns=${mn(a)} empty=${t("order_refunds_none")}
      keyOf=${l=>l.refund_number} />`}
    <h2>${t("log")}</h2>
    <${U} name=${t("log")} rows=${d.log} columns=${mi()} empty=""
      keyOf=${l=>`${l.at}${l.what}`} />
    <${$i} path=${r} notes=${d.notes??[]} reload=${a} />`}function ri(e,n){let r=n.filter(({reason:o})=>o==="operator").flatMap(o=>o.items??[]);return $e(r.filter(({sku_id:o})=>o===e.sku_id),"quantity")}function oi({status:e,events:n}){return e==="unpaid"?["cancel","mark_paid"]:e==="refunded"&&!n.some(({what:r})=>r==="restocked")?["restock"]:[]}function si({order:e,path:n,reload:r}){let o={name:"reason",label:t("why"),required:!0,maxlength:200};return oi(e).map(s=>i`<${g} key=${s} route=${`POST /orders/{order_number}/${s}`} label=${t(`order_${s}`)}
      title=${t(`order_${s}`)} help=${t(`order_${s}_help`)} fields=${[o]}
      kind=${s==="cancel"?"danger":"quiet"}
      run=${(a,d)=>b("POST",`${n}/${s}`,{key:d,body:a})} then=${r} />`)}function ii(e,n){let r=o=>n.some(s=>s.pay_number===o.pay_number&&!["operator","refunded_outside"].includes(s.reason));return(e.payments??[]).find(o=>["paid","refunding","refunded"].includes(o.status)&&!r(o))}function ai({order:e,path:n,reload:r}){if(e.status!=="paid"||!e.outside)return null;let o="order_mark_refunded",s=[{...Yr(e),required:!0},{name:"reference",label:t("refund_reference"),required:!0,maxlength:200},{name:"reason",label:t("why"),required:!0,maxlength:200}],a=({amount:d,reference:c,reason:l},p)=>{let u=H(d,e.currency),y={reference:c,reason:l,...u!==void 0&&{amount:u}};return b("POST",`${n}/mark_refunded`,{key:p,body:y})};return i`<${g} route="POST /orders/{order_number}/mark_refunded" label=${t(o)} title=${t(o)}
    fields=${s} run=${a} then=${r} preview=${d=>Xr(e,d)} />`}function di({order:e,reload:n}){let r=o=>L(o,e.currency);return i`<section class="card"><h2>${t("what")}</h2>
    <ul class="items">${e.items.map(o=>i`<li>
      <span>${o.title} × ${o.quantity}</span>
      <span class="row">${r(o.price*o.quantity)}
        <${yi} order=${e} item=${o} reload=${n} /></span>
      ${o.voucher_codes?.map(s=>i`<p class="voucher">
        <a href="#/voucher/${s}"><code>${s}</code></a></p>`)}
      ${o.vouchers_waiting>0&&i`<p class="voucher">${t("vouchers_waiting",{count:h(o.vouchers_waiting)})}</p>`}</li>`)}</ul>
    <dl class="amounts">
      <div><dt>${t("freight")}</dt><dd>${r(e.freight_amount)}</dd></div>
      <div><dt>${t("amount")}</dt><dd>${r(e.total_amount)}</dd></div>
      ${e.refunded_amount>0&&i`
        <div><dt>${t("refunded")}</dt><dd>−${r(e.refunded_amount)}</dd></div>
        <div><dt>${t("amount_left")}</dt><dd>${r(le(e))}</dd></div>`}</dl></section>`}function ci({order:e}){let n=(r,o)=>i`<a href="#/money/orders?${new URLSearchParams({[r]:o})}">${o}</a>`;return i`<section class="card"><h2>${t("facts")}</h2><dl class="facts">
    ${I("buyer",i`<a href="#/user/${encodeURIComponent(e.user_id)}">${e.user_id}</a>`)}
    ${I("sale",e.activity_id&&i`<${li} id=${e.activity_id} />`)}
    ${I("placed",E(e.placed_at))}
    ${I("pay_before",e.status==="unpaid"&&E(e.pay_before))}
    ${I("paid_at",e.paid_at&&E(e.paid_at))}
    ${I("reason",e.cancel_reason&&W("cancel",e.cancel_reason))}
    ${I("delivery",t(`delivery_${e.delivery}`))}
    ${I("address",e.address&&Zt(e.address))}
    ${I("phone",e.address?.phone)}
    ${I("pickup_point",e.pickup_point_id)}
    ${I("shop",e.shop_id)}
    ${I("point",e.point_id)}
    ${I("client_reference",e.client_reference)}
    ${I("notify_token",e.notify_token)}
    ${pn.map(r=>I(r,e[r]&&n(r,e[r])))}
    ${I("remark",e.remark)}
    ${Object.entries(e.fields??{}).map(([r,o])=>Wr(r,o))}</dl></section>`}function li({id:e}){let{value:n}=N(async()=>q("GET /activities/{activity_id}")&&b("GET",`/activities/${e}`));return i`<a href="#/live/${e}">${n&&n.title||e}</a>`}var I=(e,n)=>n&&Wr(t(e),n),Wr=(e,n)=>i`<div><dt>${e}</dt><dd>${n}</dd></div>`,ui=()=>[[t("payment"),e=>i`<a href="#/payment/${e.pay_number}">${e.pay_number}</a>`,"lead"],[R(t("made")),e=>i`<${A} at=${e.created_at} />`],[t("channel"),e=>e.channel],[t("amount"),e=>L(e.amount,e.currency),"number"],[t("state"),e=>i`<${F} state=${e.status} />`,"end"]],pi=(e="")=>{let[n,r]=e.split(/:(.*)/);return r===void 0?W("who",e):`${W("who",n)} ${r}`},mi=()=>[[R(t("at")),e=>i`<${A} at=${e.at} />`,"end"],[t("what"),e=>W("log",e.what),"lead"],[t("by"),e=>pi(e.who)],[t("from_address"),e=>e.from??""]];function $i({path:e,notes:n,reload:r}){return i`<div class="row heading"><h2>${t("notes")}</h2>
      <${g} route="POST /orders/{order_number}/notes"
        label=${t("write_note")} title=${t("write_note")} help=${t("notes_help")}
        fields=${[{name:"text",label:t("note"),type:"textarea",required:!0,maxlength:1e3}]}
        run=${(o,s)=>b("POST",`${e}/notes`,{key:s,body:o})} then=${r} /></div>
    ${n.length===0&&i`<p class="empty">${t("notes_none")}</p>`}
    <ul class="list">${n.map(o=>i`<li class="card"><b>${o.actor}</b>
      <span class="muted"> ${E(o.at)}</span><p>${o.text}</p></li>`)}</ul>`}function Vr(e){return e.voucher_codes?.length>0?e.voucher_codes.map(n=>({name:`voucher_${n}`,label:`${e.title}: ${t("refund_voucher",{code:n})}`,type:"checkbox"})):[{name:`units_${e.sku_id}`,label:t("refund_units",{title:e.title,quantity:e.left}),type:"number",step:1,min:0,max:e.left,initial:0,steps:!0}]}function kt(e,n){let r=(e.voucher_codes??[]).filter(o=>n[`voucher_${o}`]);return{sku_id:e.sku_id,quantity:r.length||Number(n[`units_${e.sku_id}`]??0),...r.length>0&&{voucher_codes:r}}}var le=e=>e.total_amount-(e.refunded_amount??0);function Qr(e,{reason:n,force:r},o,s,a){return b("POST",`/orders/${e.order_number}/refund`,{key:a,body:{reason:n,force:r==="true",...o.length>0&&{items:o},...s!==void 0&&{amount:s}}})}var fi="POST /orders/{order_number}/restock",_i=(e,n,r)=>b("POST",`/orders/${e.order_number}/restock`,{key:`${r}-restock`,body:{reason:n}}),Yr=e=>({name:"amount",label:t("amount"),type:"number",min:0,max:Z(le(e),e.currency),help:t("refund_help",{amount:L(le(e),e.currency)}),presets:[[t("refund_all"),()=>Z(le(e),e.currency)]]});function Zr(e,n){let r=e.items.reduce((o,s)=>o+s.price*kt(s,n).quantity,0);return Math.min(H(n.amount,e.currency)??r,le(e))}function Xr(e,n){try{let r=Zr(e,n);return t(r>0?"refund_preview":"refund_none_yet",{amount:L(r,e.currency)})}catch(r){return r.message}}function hi({order:e,reload:n,opens:r}){if(e.status!=="paid"||!e.byPayment)return null;let o=[...e.items.flatMap(Vr),Yr(e),{name:"reason",label:t("reason"),maxlength:200},{name:"force",label:t("refund_force"),type:"checkbox"},...q(fi)?[{name:"restock",label:t("refund_restock"),type:"checkbox"}]:[]],s=async(a,d)=>{let c=e.items.map(m=>kt(m,a)).filter(m=>m.quantity>0),l=H(a.amount,e.currency);if(c.length===0&&l===void 0)throw new Error(t("refund_nothing"));let p=Zr(e,a)===le(e);if(a.restock&&!p)throw new Error(t("refund_restock_last"));let u=c.length===0&&p,y=await Qr(e,a,c,u?void 0:l,d);return a.restock&&await _i(e,a.reason||t("refund_order"),d),y};return i`<${g} route="POST /orders/{order_number}/refund"
    label=${t("refund_order")} title=${t("refund_order")} id="refund" kind="danger" opens=${r}
    fields=${o} run=${s} then=${n} preview=${a=>Xr(e,a)} />`}function yi({order:e,item:n,reload:r}){let o=e.items.length+n.quantity===2;if(e.status!=="paid"||o||n.left<1||!e.byPayment)return null;let[s,...a]=Vr(n),c=[n.voucher_codes?.length>0?s:{...s,min:1,initial:1,required:!0},...a,{name:"reason",label:t("reason"),maxlength:200}],l=(u,y)=>{let m=kt(n,u);if(m.quantity===0)throw new Error(t("refund_nothing"));return Qr(e,u,[m],void 0,y)},p=u=>t("refund_preview",{amount:L(Math.min(n.price*kt(n,u).quantity,le(e)),e.currency)});return i`<${g} route="POST /orders/{order_number}/refund"
    label=${t("refund_line")} title=${t("refund_line_title",{title:n.title})}
    id="refund-${n.sku_id}" fields=${c} run=${l} then=${r} preview=${p} />`}var zt=e=>`/points/${encodeURIComponent(e)}`,bi=e=>e.split(/[,，、;；\n]/).map(n=>n.trim()).filter(Boolean),gi=(e,n)=>n?Z(e,n):e,eo=(e,n)=>[...e?[]:[{name:"point_id",label:t("point_id"),required:!0,...te}],{name:"name",label:t("name"),required:!0,maxlength:200,initial:e?.name},{name:"regions",label:t("regions"),help:t("regions_help"),type:"textarea",initial:e?.regions.join(", ")},{name:"freight_extra",label:t("freight_extra"),help:n??t("minor_units"),type:"number",min:0,initial:gi(e?.freight_extra??0,n)},{name:"pickup",label:t("pickup"),type:"checkbox",initial:e?.pickup},{name:"address",label:t("point_address"),help:t("point_address_help"),type:"textarea",maxlength:200,initial:e?.address},{name:"hours",label:t("point_hours"),maxlength:200,help:t("point_hours_help"),initial:e?.hours}],to=(e,n)=>(r,o,s)=>We(e,zt(e?.point_id??r.point_id),{body:{name:r.name,regions:bi(r.regions),pickup:r.pickup==="true",address:r.address,hours:r.hours,freight_extra:(n?H(r.freight_extra,n):Number(r.freight_extra))??0}},s);function ki(e){let n=new Set(e.map(r=>r.currency));return n.size===1?[...n][0]:void 0}function vi({claims:e}){return i`<${O} error=${e.error} retry=${e.reload} />
    ${(e.value?.items??[]).map(({region:n,point_ids:r})=>i`<p class="notice" key=${n}>
      ${t("region_shared",{region:n,points:r.join(", "),wins:r[0]})}</p>`)}
    ${e.value?.next_cursor&&i`<p class="notice">…</p>`}`}function wi({query:e}){let{value:n,error:r,reload:o}=N(()=>G("/skus"));if(!n)return r?i`<${O} error=${r} retry=${o} />`:i`<${D} />`;let s=new URLSearchParams(e).get("point_id"),a=ki(n);return s?i`<${xi} id=${s} currency=${a} />`:i`<${Oi} currency=${a} />`}var xi=({id:e,currency:n})=>i`<${no} points=${Ye(zt(e))} currency=${n}>
  <p><a href="#/points">${t("all_points")}</a></p><//>`,Oi=({currency:e})=>i`<${no} points=${B("/points")} currency=${e} />`;function no({points:e,currency:n,children:r}){let o=N(()=>b("GET","/regions?shared=true&page_size=20")),s={...e,reload:()=>{e.reload(),o.reload()}},a=[[t("point"),d=>i`<b>${d.name}</b><p class="muted"><code>${d.point_id}</code></p>`,"lead wide"],[t("regions"),d=>d.regions.length?d.regions.join(", "):t("regions_rest"),"wide"],[t("freight_extra"),d=>n?L(d.freight_extra,n):d.freight_extra,"number named"],[t("pickup"),d=>i`${d.pickup?t("yes"):t("no")}
        ${[d.address,d.hours].filter(Boolean).map(c=>i`<p class="muted">${c}</p>`)}`,"wide named"],["",d=>i`<div class="row actions">
      <${g} route="PUT /points/{point_id}"
        label=${t("edit")} title=${t("edit")} fields=${eo(d,n)} run=${to(d,n)}
        then=${s.reload} />
      ${d.point_id!=="0"&&i`<${g} route="DELETE /points/{point_id}" label=${t("delete")} kind="danger"
        title=${t("delete_title",{name:d.name})} help=${t("delete_point_help")} then=${s.reload}
        run=${(c,l,p=d.version)=>b("DELETE",zt(d.point_id),{version:p})} />`}</div>`,"tools"]];return i`<div class="row heading"><h1>${t("menu_points")}</h1>
      <${g} route="PUT /points/{point_id}"
        label=${t("new_point")} title=${t("new_point")} kind="go" fields=${eo(void 0,n)}
        run=${to(void 0,n)} then=${s.reload} /></div>
    ${r}<p class="muted">${t("points_help")}</p><${vi} claims=${o} />
    <${z} list=${s} name=${t("menu_points")} columns=${a} empty=${t("points_none")}
      keyOf=${d=>d.point_id} />`}function Si(){let{value:e,error:n,reload:r}=J(2e3,()=>b("GET","/queue"));if(!e)return n?i`<${O} error=${n} retry=${r} />`:i`<${D} />`;let o=[[t("lane"),a=>t("lane_number",{n:a.lane}),"lead"],[t("queued"),a=>h(a.length),"number named"],[t("oldest"),a=>a.length?Ve(a.oldest_ms):"–","number named"],[t("dead"),a=>i`<span class=${a.dead?"bad":""}>${h(a.dead)}</span>`,"number named"],[t("oldest_dead"),a=>a.dead?Ve(a.oldest_dead_ms):"–","number named"],[t("note"),a=>a.newer_records?t("newer_records"):"","wide"]],s=e.items.filter(a=>a.length||a.dead||a.newer_records);return i`<h1>${t("menu_queue")}</h1><p class="muted">${t("queue_help")}</p>
    <${U} name=${t("menu_queue")} columns=${o} rows=${s} keyOf=${a=>a.lane}
      empty=${t("queue_none",{lanes:e.items.length})} />
    ${q("GET /queue/dead")&&i`<${Ti} reload=${r} />`}`}function Ti({reload:e}){let[n,r]=k({reason:""}),o=B("/queue/dead",n),s=()=>{o.reload(),e()},a=[...new Set(o.items.map(d=>d.reason))];return i`<h2>${t("dead_title")}</h2>
    <div class="row">
      <${ee} fields=${[{name:"reason",label:t("reason"),maxlength:64}]} values=${n}
        change=${r} />
      ${a.map(d=>i`<${Pi} key=${d} reason=${d} then=${s} />`)}</div>
    <${z} list=${o} name=${t("dead_title")} columns=${qi(s)} empty=${t("dead_none")}
      keyOf=${d=>d.dead_id} />`}function Pi({reason:e,then:n}){let r=t("replay_reason",{reason:W("dead",e)});return i`<${g} route="POST /queue/dead:replay" label=${r} title=${r} help=${t("replay_help")}
    run=${(o,s)=>b("POST","/queue/dead:replay",{key:s,body:{reason:e}})} then=${n} />`}function qi(e){return[[t("order"),n=>n.order_number??n.dead_id,"lead"],[t("buyer"),n=>n.user_id??"–","cut"],[t("reason"),n=>i`<b>${W("dead",n.reason)}</b><p class="muted">${n.detail}</p>`,"wide"],[t("age"),n=>n.at?Ve(nn(n.at)):"–","number end"],["",n=>i`<div class="row actions">
      <${g} route="POST /queue/dead/{dead_id}/replay" label=${t("replay")} id="replay-${n.dead_id}"
        run=${(r,o)=>b("POST",`/queue/dead/${n.dead_id}/replay`,{key:o})} then=${e} />
      <${g} route="POST /queue/dead/{dead_id}/discard" label=${t("discard")} title=${t("discard_title")}
        help=${t("discard_help")} kind="danger"
        run=${(r,o)=>b("POST",`/queue/dead/${n.dead_id}/discard`,{key:o})} then=${e} /></div>`,"tools"]]}function Ei({id:e}){let n=`/activities/${encodeURIComponent(e)}/report`,{value:r,error:o,reload:s}=N(()=>b("GET",n),[n]);return r?i`<div class="report"><div class="row heading"><h1>${t("report_of",{sale:r.title})}</h1>
      <${he} sale=${r} />
      <span class="row actions"><a href=${rt(r)}>${t("report_live")}</a>
        <${g} label=${t("download")} run=${()=>Ze(`${n}.csv?bom=1`,`report-${e}.csv`)} done=${null} />
        <button class="quiet" id="print" onClick=${()=>window.print()}>${t("print")}</button></span></div>
    <p class="muted">${E(r.starts_at)} – ${E(r.ends_at)}<br />
      ${t("report_made",{time:E(r.made_at)})}</p>
    ${!r.settled&&i`<p class="notice" id="unsettled">${Ci(r)}</p>`}
    <${Li} report=${r} /><${ji} report=${r} /><${Ai} traffic=${r.traffic} /></div>`:o?i`<${O} error=${o} retry=${s} />`:i`<${D} />`}function Ci({placed:e,totals:n}){return e===void 0?t("report_queue_unknown"):t("report_unsettled",{placed:h(e),unpaid:h(n.unpaid_orders)})}function Li({report:{totals:e,offered_units:n,currency:r,traffic:o}}){let s=c=>L(c,r),a=c=>c===1?t("of_order"):t("of_orders",{orders:h(c)}),d=[["paid_units",h(e.paid_units),t("of_total",{total:h(n)})],["report_paid",s(e.paid_amount),a(e.paid_orders)],["refunded",s(e.refunded_amount),t("report_whole",{orders:h(e.refunded_orders)})],["report_net",s(e.net_amount),t("report_net_note")],["state_unpaid",s(e.unpaid_amount),a(e.unpaid_orders)],["state_cancelled",s(e.cancelled_amount),a(e.cancelled_orders)],["state_failed",h(e.failed_orders),t("report_failed_note")],["report_peak",o.peak?h(o.peak.orders):"–",o.peak?E(o.peak.at):t(`report_peak_${o.state}`)]];return i`<dl class="figures three">${d.map(([c,l,p])=>i`
    <div id="figure-${c}"><dt>${t(c)}</dt><dd>${l} <small>${p}</small></dd></div>`)}</dl>`}function ji({report:e}){let{currency:n,skus:r,points:o,times:s,rooms:a,share_sources:d}=e,c=[[t("orders"),u=>h(u.sums.orders),"number named"],[t("paid_units"),u=>h(u.sums.paid_units),"number named"],[t("report_unpaid_units"),u=>h(u.sums.unpaid_units),"number named"],[t("report_cancelled_units"),u=>h(u.sums.cancelled_units),"number named"],[t("report_paid"),u=>L(u.sums.paid_amount,n),"number named"],[t("refunded"),u=>L(u.sums.refunded_amount,n),"number named"],[t("report_net"),u=>L(u.sums.net_amount,n),"number end"]],l=[t("report_offered"),u=>h(u.offered_units),"number named"],p=(u,y,m,$,f=[])=>i`<section><h2>${u}</h2>
    <${U} name=${u} rows=${y} columns=${[m,...f,...c]} empty=${t("report_none")} keyOf=${$} />
    </section>`;return i`
    ${p(t("report_skus"),r,[t("sku"),Di,"lead wide"],u=>u.sku_id,[l])}
    ${p(t("report_points"),o,[t("point"),u=>u.point_id,"lead"],u=>u.point_id,[l])}
    ${p(t(`report_every_${s.every_s}`),s.items,[R(t("report_placed")),u=>i`<${A} at=${u.at} />`,"lead"],u=>u.at)}
    <div class="columns"><${ro} name=${t("share_sources")} sources=${d} />
      <${ro} name=${t("rooms")} sources=${a} /></div>`}var Di=({sku_id:e,title:n})=>i`${n} <code class="muted below">${e}</code>`;function ro({name:e,sources:{items:n,others:r,without:o}}){if(n.length===0)return null;let s=[[t("report_others"),r],[t("report_without"),o]].filter(([,c])=>c>0),a=[...n.map(c=>[c.name,c.orders]),...s],d=[[e,([c])=>c,"lead"],[t("orders"),([,c])=>h(c),"number end"]];return i`<section><h2>${e}</h2><${U} name=${e} rows=${a} columns=${d} empty=""
    keyOf=${([c])=>c} /></section>`}function Ai({traffic:e}){let{state:n,paths:r,submits:o,refusals:s,early_places:a}=e,d=[[t("code"),c=>i`<${yt} code=${c.code} />`,"lead"],[t("call_path"),c=>h(c.paths),"number named"],[t("call_submit"),c=>h(c.submits),"number named"]];return i`<section id="traffic"><h2>${t("report_traffic")}</h2>
    ${n==="kept"?i`<p>${t("report_requests",{paths:h(r),submits:h(o)})}
        ${a&&i` ${t("report_early",{n:h(a)})}`}</p>
      <${U} name=${t("report_traffic")} rows=${s} columns=${d} empty=${t("report_refused_none")}
        keyOf=${c=>c.code} />`:i`<p class="notice">${t(`report_traffic_${n}`)}</p>`}</section>`}var Ht="PATCH /settings",Ni=["limits","limit_user","limit_address","limit_network","limit_strangers","limit_instance","limit_routes"],Ri=["limit_routes","image_hosts"],Ui=["full","no_streams","no_lists","only_placing"],oo={degrade:()=>Ui.map(e=>[e,t(`degrade_${e}`)]),limits:()=>["on","dry_run","off"].map(e=>[e,t(`limits_${e}`)]),log:()=>["debug","info","warn","error"].map(e=>[e,e])};function so(e,n){return e==="degrade"||e==="limits"?t(`${e}_${n}`):Array.isArray(n)?n.join(", ")||"none":n}function Mi(e,n=""){return Ri.includes(e)&&n?n.split(/\s*,\s*/):n.trim()||null}function Ii({query:e}){let{value:n,error:r}=gn(),o=qt;if(P(()=>{qt()},[]),!n)return r?i`<${O} error=${r} retry=${o} />`:i`<${D} />`;let{set:s,in_force:a}=n,d=l=>i`<${g} route=${Ht} label=${t("change_setting")} id="set-${l}"
    title=${t(`setting_${l}`)} help=${t(`setting_${l}_help`)} then=${o}
    done=${t("done_setting",{setting:t(`setting_${l}`)})} undo=${nt({[l]:s[l]??null})}
    fields=${[oo[l]?{name:"value",of:l,label:t("value"),options:oo[l](),initial:a[l]}:{name:"value",of:l,label:t("value"),help:t("setting_empty"),initial:so(l,s[l]??"")}]}
    run=${({value:p},u,y)=>tt({[l]:Mi(l,p)})({},u,y)} />`,c=[[t("setting"),l=>i`<b>${t(`setting_${l}`)}</b>
      <p class="muted">${t(`setting_${l}_help`)}</p>`,"lead wide"],[t("value"),l=>i`${so(l,a[l])}
      <p class="muted">${t(s[l]===void 0?"setting_environment":"setting_operators")}</p>`],["",l=>i`<div class="row actions">${d(l)}
      ${s[l]!==void 0&&i`<${g} route=${Ht} label=${t("unset")} id="unset-${l}" run=${tt({[l]:null})}
          then=${o} done=${t("done_setting",{setting:t(`setting_${l}`)})}
          undo=${nt({[l]:s[l]})} />`}</div>`,"tools"]];return i`<h1>${t("menu_settings")}</h1><p class="muted">${t("settings_help")}</p>
    <section class="card" id="all-sales"><h2>${t("all_sales")}</h2>
      <p><${F} state=${a.sales_stopped?"stopped":"ok"} />
        ${t(a.sales_stopped?"sales_are_stopped":"sales_go_on")}</p>
      <div class="row">${a.sales_stopped?i`<${kn} id="go-on" kind="go" />`:i`<${g} route=${Ht} label=${t("stop_sales")} kind="danger" id="stop-sales"
            opens=${e==="do=stop"}
            title=${t("stop_sales_title")} help=${t("stop_sales_help")} run=${tt({sales_stopped:!0})}
            then=${o} done=${t("done_stopped")} undo=${nt({sales_stopped:null})} />`}</div></section>
    ${n.pending&&i`<p class="note">${t("settings_pending")}</p>`}
    ${a.limits!=="on"&&i`<p class="note">${t(`limits_are_${a.limits}`)}</p>`}
    <${O} error=${r} />
    <${U} name=${t("menu_settings")} columns=${c} rows=${["degrade",...Ni,"image_hosts","log"]}
      keyOf=${l=>l} />`}function Fi({id:e}){let n=`/users/${encodeURIComponent(e)}`,{value:r,error:o,reload:s}=N(()=>b("GET",`${n}/trail`),[e]),a=new URLSearchParams({user_id:e});return i`<div class="row heading"><h1>${t("user_title",{user:e})}</h1>
      <a class="button quiet" href="#/money/orders?${a}">${t("orders_all")}</a>
      <${g} route="GET /users/{user_id}/export" label=${t("user_export")} done=${null}
        run=${()=>Ze(`${n}/export`,"user.json")} />
      <${Hi} path=${n} user=${e} then=${s} /></div>
    <${O} error=${o} retry=${s} />
    ${r?i`<${Bi} trail=${r} />`:!o&&i`<${D} />`}`}function Bi({trail:e}){return i`${e.partial&&i`<p class="notice">${t("trail_partial")}</p>`}
    <h2>${t("trail_refusals")}</h2>
    <p class="muted">${t("trail_help")}</p>
    <${U} name=${t("trail_refusals")} rows=${e.refusals} columns=${Gi()}
      empty=${t("trail_refusals_none")}
      keyOf=${n=>`${n.instance}${n.first_request_id}${n.first_at}`} />
    <h2>${t("trail_orders")}</h2>
    <${U} name=${t("trail_orders")} rows=${e.orders} columns=${zi()} empty=${t("trail_orders_none")}
      keyOf=${n=>n.order_number} />`}var Gi=()=>[[R(t("trail_last")),e=>i`<${A} at=${e.last_at} />`,"lead"],[t("sale"),e=>e.activity_id&&i`<a href="#/live/${e.activity_id}">${e.activity_id}</a> <code>${e.sku_id}</code>`],[t("trail_answer"),e=>i`${e.detail} <code>${e.code}</code>`,"wide"],[t("trail_request"),e=>i`<code>${e.method} ${e.path}</code>`,"cut"],[t("trail_count"),e=>h(e.count),"number named"],[t("trail_request_id"),e=>i`<code>${e.last_request_id}</code>`,"cut named"],[t("trail_key"),e=>e.idempotency_key&&i`<code>${e.idempotency_key}</code>`,"cut named"]],zi=()=>[[t("order"),e=>i`<a href="#/order/${e.order_number}">${e.order_number}</a>`,"lead"],[R(t("placed")),e=>i`<${A} at=${e.placed_at} />`],[t("what"),e=>e.items.map(n=>`${n.title} × ${n.quantity}`).join(", "),"cut"],[t("amount"),e=>L(e.total_amount,e.currency),"number"],[t("state"),e=>i`<${F} state=${e.status} />`,"end"]];function Hi({path:e,user:n,then:r}){let o=[{name:"confirm",label:t("type_to_confirm",{what:n}),required:!0,maxlength:64}];return i`<${g} route="POST /users/{user_id}/erase" label=${t("user_erase")} kind="danger"
    title=${t("user_erase_title",{user:n})} help=${t("user_erase_help")} fields=${o}
    run=${(s,a)=>b("POST",`${e}/erase`,{key:a,body:s})} then=${r} />`}function Ki({id:e}){let n=`/vouchers/${encodeURIComponent(e)}`,{value:r,error:o,reload:s}=N(()=>b("GET",n));return r?i`<div class="row heading"><h1>${t("voucher_title",{code:e})}</h1><${F} state=${r.status} />
      ${r.status==="active"&&i`<${g} route="POST /vouchers/{code}/redeem" label=${t("redeem")} kind="go" title=${t("redeem")}
        fields=${[{name:"where",label:t("where"),required:!0,maxlength:100}]}
        run=${(a,d)=>b("POST",`${n}/redeem`,{key:d,body:a})} then=${s} />`}</div>
    <section class="card"><dl class="facts">
      <div><dt>${t("what")}</dt><dd>${r.title}</dd></div>
      <div><dt>${t("order")}</dt><dd><a href="#/order/${r.order_number}">${r.order_number}</a></dd></div>
      <div><dt>${t("buyer")}</dt><dd>${r.user_id}</dd></div>
      ${r.redeemed_at&&i`<div><dt>${t("redeemed")}</dt>
        <dd>${E(r.redeemed_at)}, ${r.redeemed_where}, ${r.redeemed_by}</dd></div>`}</dl></section>`:o?i`<${O} error=${o} retry=${s} />`:i`<${D} />`}var Ji=6,Wi=150,Vi={order:e=>`#/order/${e}`,payment:e=>`#/payment/${e}`,refund:e=>`#/money/refunds?refund_number=${encodeURIComponent(e)}`,user:e=>`#/user/${encodeURIComponent(e)}`,refusal:(e,n)=>`#/user/${encodeURIComponent(n)}`,voucher:e=>`#/voucher/${encodeURIComponent(e)}`},Ae=(e,n,r=n)=>({kind:"action",id:r,title:e,href:n});function Qi(e){let n=e.filter(r=>["running","upcoming"].includes(ne(r))&&!r.paused_at);return[q("PATCH /settings")&&Ae(t("stop_sales"),"#/settings?do=stop"),q("GET /orders")&&Ae(t("refund_an_order"),"#/money/orders?status=paid"),q("PUT /activities/{activity_id}")&&Ae(t("new_sale"),"#/edit"),...(q("POST /activities/{activity_id}/pause")?n:[]).map(r=>Ae(`${t("pause_sale")}: ${r.title}`,`#/live/${r.activity_id}?do=pause`))].filter(Boolean)}var Yi=e=>e.filter(({kind:n})=>n==="order"&&q("POST /orders/{order_number}/refund")).map(({id:n})=>Ae(`${t("refund_order")}: ${n}`,`#/order/${n}?do=refund`));async function Zi(){let[e,n,r]=await Promise.all([G("/activities"),G("/skus"),G("/points")]),o=(s,a,d,c,l)=>({kind:s,id:a,title:d,href:c,state:l});return[...e.map(s=>o("sale",s.activity_id,s.title,rt(s),vn(s))),...n.map(s=>o("sku",s.sku_id,s.title,`#/goods?${new URLSearchParams({sku_id:s.sku_id})}`)),...r.map(s=>o("point",s.point_id,s.name,`#/points?${new URLSearchParams({point_id:s.point_id})}`)),...Qi(e)]}function Xi(e,n){let r=n.toLowerCase().split(/\s+/).filter(Boolean);if(r.length===0)return[];let o={};return e.filter(({kind:s,id:a,title:d})=>{let c=(s==="action"?d:`${d} ${a}`).toLowerCase();return r.every(l=>c.includes(l))?(o[s]=(o[s]??0)+1,o[s]<=Ji):!1})}function ea(e){let[n,r]=k({of:"",hits:[]});return P(()=>{if(!e)return;let o=!0,s=setTimeout(async()=>{try{let{items:a}=await b("GET",`/search?q=${encodeURIComponent(e)}`),d=a.map(({kind:c,id:l,user_id:p})=>({kind:c,id:l,title:p??l,href:Vi[c](l,p)}));o&&r({of:e,hits:[...d,...Yi(a)]})}catch(a){o&&r({of:e,hits:[],error:a})}},Wi);return()=>{o=!1,clearTimeout(s)}},[e]),n.of===e?n:{hits:[],waits:!!e}}var vt=e=>`${e.kind} ${e.id}`;function ta(e){let[,n]=k(""),r=j(""),o=Math.max(0,e.findIndex(a=>vt(a)===r.current));return r.current=e[o]?vt(e[o]):"",{at:o,mark:a=>{r.current=a?vt(a):"",n(r.current)}}}function na({close:e}){let[n,r]=k(""),[o,s]=k(!1),a=N(Zi),d=ea(n.trim()),c=[...d.hits,...Xi(a.value??[],n)],{at:l,mark:p}=ta(c),u=d.waits||!!n.trim()&&!a.value&&!a.error,y=f=>{e(),Fe(f.href)};P(()=>{!o||u||(s(!1),c.length>0&&y(c[0]))},[o,u]);let m=f=>{let _={ArrowDown:1,ArrowUp:-1}[f.key];_&&c.length>0?(f.preventDefault(),p(c[(l+_+c.length)%c.length])):f.key==="Enter"&&(f.preventDefault(),c[l]?y(c[l]):s(u))},$=f=>{r(f.target.value),p(),s(!1)};return i`<${K} title=${t("search_short")} close=${e}><div class="finder">
    <input id="search" type="text" enterkeyhint="go" maxlength="128" autocomplete="off" autofocus role="combobox"
      aria-expanded="true" aria-controls="hits" aria-autocomplete="list" aria-label=${t("search")}
      aria-activedescendant=${c[l]&&`hit-${l}`} value=${n} onInput=${$} onKeyDown=${m} />
    <${O} error=${d.error??a.error} />
    <ul id="hits" role="listbox" aria-label=${t("search_hits")}>${c.map((f,_)=>i`<li id="hit-${_}" key=${vt(f)} role="option" aria-selected=${_===l}
        onClick=${()=>y(f)} onMouseMove=${()=>p(f)}>
        <span class="muted kind">${t(`hit_${f.kind}`)}</span><b>${f.title}</b>
        ${f.title!==f.id&&f.kind!=="action"&&i`<code class="muted">${f.id}</code>`}
        ${f.state&&i`<${F} state=${f.state} />`}</li>`)}</ul>
    <p class="muted" role="status">${ra(n.trim(),u,c)}</p></div>
    <button type="button" class="quiet" onClick=${e}>${t("close")}</button><//>`}function ra(e,n,r){return e?n?`${t("loading")} …`:r.length===0?t("search_none"):"":t("search_help")}Jt({en:On,zh:Sn});export{mo as Blocked,yo as Changes,go as Deliveries,es as Edit,lo as Endpoints,ws as Goods,Ts as Home,uo as Jobs,Cs as Keys,Xs as Live,ti as Login,ao as Money,Ps as NotAllowed,ni as Order,co as Payment,wi as Points,Si as Queue,Ei as Report,po as Sales,na as SearchDialog,Ii as Settings,Fi as User,Ki as Voucher};
